// Prism makes up a response to every operation, 20 times: never a 5xx. What it responds with the examples, test/stories/mock shows.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

const { paths, components } = JSON.parse(readFileSync('openapi.json', 'utf8'))
const resolve = ({ $ref, ...node }) =>
  $ref
    ? $ref
        .split('/')
        .slice(2)
        .reduce((at, key) => at[key], components)
    : node

function requestOf(method, { requestBody }) {
  const init = { method: method.toUpperCase(), headers: { Authorization: 'Bearer any' } }
  if (!requestBody) return init
  const [example] = Object.values(resolve(requestBody).content['application/json'].examples)
  const headers = { ...init.headers, 'Content-Type': 'application/json' }
  return { ...init, headers, body: JSON.stringify(resolve(example).value) }
}

const prism = spawn('prism', ['mock', '--dynamic', '--port', '0', 'openapi.yaml'])
process.on('exit', () => prism.kill())
let printed = ''
while (!/listening on (http\S+)/.test(printed)) printed += (await once(prism.stdout, 'data'))[0]
prism.stdout.resume()
const [, url] = /listening on (http\S+)/.exec(printed)
for (const [path, item] of Object.entries(paths))
  for (const [method, operation] of Object.entries(item))
    for (let time = 0; time < 20; time++) {
      const received = await fetch(url + path.replace('{id}', 'some_id'), requestOf(method, operation))
      assert.ok(received.status < 500, `${operation.operationId}: ${received.status} ${await received.text()}`)
    }
process.exit()
