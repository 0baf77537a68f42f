import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { triggerRunRequest } from '../../../generated/examples.js'
import { type ClientOptions, createClient } from '../../../src/index.js'
import { VERSION } from '../../support/fixtures.js'
import { KEY, RUN } from '../../support/server.js'

/** A server in a thread, so that it responds while this one stands still. Resolves to its address, and what it has received. */
async function serveInThread(encoding: 'gzip' | 'identity') {
  const counts = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(SERVER, { eval: true, workerData: { counts, encoding, run: RUN } })
  onTestFinished(async () => void (await worker.terminate()))
  const port = await new Promise((resolve) => worker.once('message', resolve))
  return {
    baseUrl: `http://127.0.0.1:${port}${VERSION}`,
    received: () => Atomics.load(counts, 0),
    /** Stands still until a response has been written, and for longer. */
    standStill(ms: number, responses: number) {
      for (let sent = 0; sent < responses; sent = Atomics.load(counts, 1)) Atomics.wait(counts, 1, sent)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
    },
  }
}

const SERVER = `
  const { createServer } = require('node:http')
  const { gzipSync } = require('node:zlib')
  const { parentPort, workerData: { counts, encoding, run } } = require('node:worker_threads')
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      Atomics.add(counts, 0, 1)
      const body = JSON.stringify({ ...run, note: 'n'.repeat(100_000) })
      setTimeout(() => {
        response.writeHead(request.method === 'POST' ? 201 : 200, { 'content-type': 'application/json', 'content-encoding': encoding })
        response.end(encoding === 'gzip' ? gzipSync(body) : body, () => {
          Atomics.add(counts, 1, 1)
          Atomics.notify(counts, 1)
        })
      }, 50)
    })
  })
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`

const TIMEOUTS: Partial<ClientOptions>[] = [{ timeout: 1_500 }, { totalTimeout: 1_500 }]

it.each(['identity', 'gzip'] as const)(
  'a trigger whose response arrived (%s) while its process stood still beyond its timeouts resolves to the run',
  async (encoding) => {
    const server = await serveInThread(encoding)
    for (const [index, timeouts] of TIMEOUTS.entries()) {
      const client = createClient({ baseUrl: server.baseUrl, apiKey: KEY, ...timeouts })
      const call = client.triggerRun('pb_1', triggerRunRequest)
      while (server.received() === index) await new Promise(setImmediate)
      server.standStill(1_700, index + 1)
      expect(await call).toMatchObject({ id: 'run_1' })
      expect(server.received()).toBe(index + 1)
    }
  },
)
