// The application under test: its page asks for a key and lists the playbooks of that workspace.
import { createServer } from 'node:http'
import { ApiError, createClient } from '@workflow-automation/contract'

const { BASE_URL = 'http://127.0.0.1:4010/v1', PORT = '3000' } = process.env

const PAGE = `<!doctype html><title>Playbooks</title>
<form><label>Key <input name="key"></label> <button>Show</button></form>
<ul></ul><p role="alert"></p>
<script>
document.forms[0].onsubmit = async (event) => {
  event.preventDefault()
  const { names = [], problem = '' } = await (await fetch('/playbooks?' + new URLSearchParams(new FormData(event.target)))).json()
  document.querySelector('ul').replaceChildren(...names.map((name) => Object.assign(document.createElement('li'), { textContent: name })))
  document.querySelector('p').textContent = problem
}
</script>`

createServer(async ({ url }, response) => {
  const { pathname, searchParams } = new URL(url, 'http://app')
  if (pathname === '/') return response.setHeader('content-type', 'text/html').end(PAGE)
  response.setHeader('content-type', 'application/json')
  try {
    const client = createClient({ baseUrl: BASE_URL, apiKey: searchParams.get('key') })
    const { data } = await client.listPlaybooks()
    response.end(JSON.stringify({ names: data.map(({ id, name }) => name ?? id ?? 'No name') }))
  } catch (error) {
    const problem = error instanceof ApiError ? error.message : 'Try again.'
    response.end(JSON.stringify({ problem }))
  }
}).listen(Number(PORT), '127.0.0.1')
