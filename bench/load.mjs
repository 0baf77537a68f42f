// Starts servers and puts load on them, for sandbox.mjs and service.mjs. Linux only: it reads /proc.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import autocannon from 'autocannon'

export const quantile = (values, part) => [...values].sort((a, b) => a - b)[Math.floor(values.length * part)]
export const median = (values) => quantile(values, 0.5)

/** Starts a server and waits for its first response; `ready` is how long that took, in ms. */
export async function start(args, url, headers) {
  const from = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(child, 'close')
  for (;;) {
    const response = await fetch(url, { headers }).catch(() => undefined)
    if (response?.ok) break
    if (response) throw new Error(`${url} responded ${response.status}.`)
    if (child.exitCode !== null) throw new Error(`${args[0]} ended with ${child.exitCode} before it responded.`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return {
    ready: performance.now() - from,
    /** Its resident memory, in MB. */
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
    /** The processor time that it has used, all threads together, in µs. */
    processorTime() {
      const threads = `/proc/${child.pid}/task`
      const nanoseconds = readdirSync(threads).map((id) =>
        parseInt(readFileSync(`${threads}/${id}/schedstat`, 'utf8'), 10),
      )
      return nanoseconds.reduce((sum, each) => sum + each, 0) / 1000
    },
    async stop() {
      child.kill()
      await ended
    },
  }
}

/** Sends `amount` requests, or for `duration` seconds, over 32 connections. Anything but a 2xx is an error. */
export async function load(options) {
  const { requests, non2xx, errors } = await autocannon({ connections: 32, ...options })
  if (non2xx + errors > 0) throw new Error(`${options.url}: ${non2xx} wrong responses, ${errors} errors`)
  return { rate: requests.average, total: requests.total }
}

/** A port that nobody listens at. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  await new Promise((closed) => server.close(closed))
  return port
}
