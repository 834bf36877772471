package gateway

const usage = `gateway: an LLM gateway with virtual keys, budgets and a request log.

  gateway --config gateway.yaml      serve (the default file is gateway.yaml)
  gateway --check-config             read the config and the secrets that it names, and stop
  gateway --help-config              print a config with every key, its meaning and its default
  gateway new-key                    print a fresh virtual key and its hash
  gateway hash-key                   print the hash of the key on standard input
  gateway log                        print the request log, its rows or their sums, as JSON or CSV
  gateway --version                  print what this is

To begin, make a key and give its hash a budget:

  gateway new-key
  cat > gateway.yaml <<'EOF'
  listen: 127.0.0.1:8080
  providers:
    - name: openai
      base_url: https://api.openai.com/v1
      api_key_env: OPENAI_API_KEY
  models:
    - name: gpt-4o-mini
      price: { input_per_mtok: "0.15", output_per_mtok: "0.60" }
  keys:
    - name: alice
      sha256: (the hash that new-key printed)
      budget: { dollars: "5.00", period: month }
      rpm: 60
  state: { dir: state }
  EOF
  OPENAI_API_KEY=... gateway

Then, with the token that new-key printed:

  curl http://127.0.0.1:8080/v1/chat/completions -H "Authorization: Bearer $TOKEN" \
    -d '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"hello"}]}'

SIGTERM drains: requests in flight end, the log is written, then the process ends; a second one
ends it at once. Exit status: 0 ended as asked, 1 a fault, 2 the command line or the config is wrong.
`
