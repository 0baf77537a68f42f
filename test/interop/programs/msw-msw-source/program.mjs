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
    assert.equal(response.status, Number(status), operationId)
    assert.deepEqual(await response.json(), Object.values(content['application/json'].examples)[0].value, operationId)
  }
server.close()
