// openapi-backend routes, authenticates, validates and mocks every operation.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { OpenAPIBackend } from 'openapi-backend'

const definition = JSON.parse(readFileSync('openapi-3.0.json', 'utf8'))
const api = new OpenAPIBackend({ definition, strict: true, ajvOpts: { strict: false } })
const mock = ({ operation }) => api.mockResponseForOperation(operation.operationId)
api.register({
  notImplemented: mock,
  validationFail: () => ({ status: 400 }),
  unauthorizedHandler: () => ({ status: 401 }),
})
api.registerSecurityHandler('bearerAuth', ({ request }) => request.headers.authorization === 'Bearer key')
await api.init()
const send = (method, path, { key = 'key', body } = {}) =>
  api.handleRequest({
    method,
    path,
    body,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  })

for (const [path, item] of Object.entries(definition.paths))
  for (const [method, { operationId, requestBody, responses }] of Object.entries(item)) {
    const body = requestBody && Object.values(requestBody.content['application/json'].examples)[0].value
    const { status, mock } = await send(method, path.replace('{id}', 'any'), { body })
    assert.ok(status < 300, operationId)
    if (responses[status].content) assert.ok(mock, operationId)
  }
assert.equal((await send('get', '/playbooks', { key: 'other' })).status, 401)
assert.equal((await send('get', '/playbooks?page=x')).status, 400)
assert.equal((await send('post', '/playbooks/any/runs', { body: { inputs: { order: 42 } } })).status, 400)
