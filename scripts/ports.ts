import { createServer } from 'node:net'

const HOST = '127.0.0.1'

/** The port itself when it is free on loopback, or the next one that is. */
export async function freePort(wanted: number): Promise<number> {
  for (let port = wanted; port < wanted + 100 && port < 65_536; port++) if (await isFree(port)) return port
  throw new Error(`No port from ${wanted} to ${wanted + 99} is free. Name another one with an environment variable.`)
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, HOST, () => probe.close(() => resolve(true)))
  })
