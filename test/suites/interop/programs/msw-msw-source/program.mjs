// MSW responds to every operation with the example that comes first, at the address of the document.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fromOpenApi } from '@msw/source/open-api'
import { setupServer } from 'msw/node'

const document = JSON.parse(readFileSync('openapi.plain.json', 'utf8'))
const server = setupServer(...(await fromOpenApi(document)))
server.listen({ onUnhandledRequest: 'error' })
for (const [path, item] of Object.entries(document.paths))
  for (const [method, { operationId, responses }] of Object.entries(item)) {
    const response = await fetch(document.servers[0].url + path.replace('{id}', 'any'), {
      method: method.toUpperCase(),
    })
    const [status, { content }] = Object.entries(responses)[0]
    const text = await response.text()
    assert.equal(response.status, Number(status), operationId)
    if (content) assert.deepEqual(JSON.parse(text), firstExample(content), operationId)
    else assert.equal(text, '', operationId)
  }
server.close()

function firstExample(content) {
  return Object.values(content['application/json'].examples)[0].value
}
