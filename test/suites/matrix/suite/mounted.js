/** A service to mount, and what a mount of it does with requests that no client of HTTP sends. */
import { connect } from 'node:net'

/**
 * The service, whose workspace names the errors that were reported, so that they can be seen from outside.
 *
 * @param {any} createService
 */
export function createMounted(createService) {
  /** @type {string[]} */
  const errors = []
  const forbidden = () => ({ status: 403 })
  return createService({
    authenticate: (/** @type {string} */ key) => ({ context: { key } }),
    operations: {
      getCurrentWorkspace: () => ({
        status: 200,
        body: { id: 'ws_1', name: errors.join(', ') },
        headers: { 'set-cookie': ['a=1; Path=/', 'b=2'] },
      }),
      listPlaybooks: forbidden,
      listProviders: forbidden,
      getRun: () => ({ status: 404, headers: { trailer: 'x-sum' } }),
      triggerRun: (/** @type {any} */ { body }) => ({ status: 201, body: { id: body.inputs.name } }),
    },
    onError: (/** @type {unknown} */ error) => errors.push(String(error)),
  })
}

/**
 * What is wrong with the service at a port of this machine; nothing when the list is empty.
 *
 * @param {number} port
 */
export async function mountProblems(port) {
  /** @type {string[]} */
  const problems = []
  const expect = (/** @type {string} */ what, /** @type {any} */ seen, /** @type {any[]} */ ...wanted) => {
    if (!wanted.includes(seen)) problems.push(`${what}: ${seen}, and not ${wanted.join(' or ')}`)
  }
  for (const host of ['h/v1/workspaces/me?', 'h?a', 'h#a', 'u@h', 'h\\a'])
    expect(`Host ${host}`, statusOf(await send(port, [head('GET', '/v1/workspaces/me', host)])), 400, 404)
  expect('Host h/v1/… of /', statusOf(await send(port, [head('GET', '/', 'h/v1/workspaces/me?')])), 400, 404)
  for (const host of ['h', 'h:80', '[::1]:80'])
    expect(`Host ${host}`, statusOf(await send(port, [head('GET', '/v1/workspaces/me', host)])), 200)

  const text = '{"inputs":{"name":"x"}}'
  for (const { marks, status } of [
    { marks: '', status: 201 },
    { marks: '\ufeff', status: 201 },
    { marks: '\ufeff\ufeff', status: 400 },
  ])
    for (const framing of ['length', 'chunked']) {
      const sent = bytesOf(marks + text)
      expect(`${marks.length} byte order marks, ${framing}`, statusOf(await send(port, post(framing, sent))), status)
    }

  for (const framing of ['length', 'chunked']) await abort(port, post(framing, bytesOf(text), 5))
  const after = await send(port, [head('GET', '/v1/workspaces/me', 'h')])
  expect('errors reported of aborted uploads', /"name":"([^"]*)"/.exec(after)?.[1], '')
  const cookies = [...after.matchAll(/^set-cookie: *(.*?)\r$/gim)].map(([, value]) => value)
  expect('cookies', cookies.join(' and '), 'a=1; Path=/ and b=2')
  expect('a trailer', statusOf(await send(port, [head('GET', '/v1/runs/a', 'h')])), 500)
  return problems
}

const bytesOf = (/** @type {string} */ value) => new TextEncoder().encode(value)

/** @param {string} method @param {string} path @param {string} host */
const head = (method, path, host, headers = '') =>
  `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer key\r\nconnection: close\r\n${headers}\r\n`

/**
 * A trigger with so many bytes of its body.
 *
 * @param {string} framing
 * @param {Uint8Array} body
 */
function post(framing, body, count = body.length) {
  const type = 'content-type: application/json\r\n'
  const path = '/v1/playbooks/pb_1/runs'
  const part = body.subarray(0, count)
  const isWhole = count === body.length
  return framing === 'length'
    ? [head('POST', path, 'h', `${type}content-length: ${body.length}\r\n`), part]
    : [
        head('POST', path, 'h', `${type}transfer-encoding: chunked\r\n`),
        `${count.toString(16)}\r\n`,
        part,
        isWhole ? '\r\n0\r\n\r\n' : '\r\n',
      ]
}

const statusOf = (/** @type {string} */ received) => Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1])

/**
 * What comes back until the connection is closed.
 *
 * @param {number} port
 * @param {(string | Uint8Array)[]} parts
 * @returns {Promise<string>}
 */
const send = (port, parts) =>
  new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part)
    })
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(received))
  })

/**
 * Sends a part of a request, breaks the connection off, and waits until the service has seen it.
 *
 * @param {number} port
 * @param {(string | Uint8Array)[]} parts
 */
const abort = (port, parts) =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part)
      setTimeout(() => {
        socket.destroy()
        setTimeout(resolve, 200)
      }, 200)
    })
    socket.on('error', reject)
  })
