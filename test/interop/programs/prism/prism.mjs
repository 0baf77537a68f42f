// Static: every status, alone and with each of its examples. Dynamic: every operation 20 times, never a 5xx.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

const { paths, components } = JSON.parse(readFileSync('openapi.json', 'utf8'))
const resolve = (node) =>
  node.$ref
    ? node.$ref
        .slice(2)
        .split('/')
        .reduce((at, key) => at[key.replaceAll('~1', '/')], { components })
    : node
const examplesOf = (node) => Object.entries(resolve(node).content?.['application/json'].examples ?? {})
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path: path.replace('{id}', 'some_id'), method, operation })),
)

async function withPrism(flags, use) {
  const port = await new Promise((found) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => found(port))
    })
  })
  const prism = spawn('prism', ['mock', ...flags, '--port', port, '-v', 'silent', 'openapi.yaml'], { stdio: 'inherit' })
  const url = `http://127.0.0.1:${port}`
  try {
    for (let tries = 0; tries < 150; tries++) {
      if (await fetch(url).catch(() => undefined)) break
      await new Promise((later) => setTimeout(later, 200))
    }
    await use(url)
  } finally {
    prism.kill()
  }
}

const call = (url, { path, method, operation }, headers = {}) =>
  fetch(url + path, {
    method: method.toUpperCase(),
    headers: {
      Authorization: 'Bearer any',
      ...(operation.requestBody && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(operation.requestBody && { body: JSON.stringify(resolve(examplesOf(operation.requestBody)[0][1]).value) }),
  })

let combinations = 0
await withPrism([], async (url) => {
  for (const each of operations)
    for (const [status, response] of Object.entries(each.operation.responses)) {
      const examples = examplesOf(response)
      const choices = examples.map(([name, example]) => [`code=${status}, example=${name}`, example])
      // Without a name it is the first example.
      for (const [prefer, example] of [[`code=${status}`, examples[0]?.[1]], ...choices]) {
        const received = await call(url, each, { Prefer: prefer })
        assert.equal(received.status, Number(status), `${each.operation.operationId} ${prefer}`)
        assert.equal(received.headers.get('sl-violations'), null)
        const text = await received.text()
        if (example) assert.deepEqual(JSON.parse(text), resolve(example).value)
        else assert.equal(text, '')
        combinations++
      }
    }
})
await withPrism(['--dynamic'], async (url) => {
  for (const each of operations)
    for (let time = 0; time < 20; time++) {
      const received = await call(url, each)
      assert.ok(received.status < 500, `${each.operation.operationId}: ${received.status} ${await received.text()}`)
    }
})
console.log(`${combinations} combinations`)
