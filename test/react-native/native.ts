import { type ClientRequest, request as httpRequest } from 'node:http'
import { createContext, runInContext } from 'node:vm'
import type * as Program from './program.js'

/** What the scripts make of the globals. */
interface App {
  emitter: { emit(event: string, args: unknown[]): void }
  program: typeof Program
}

interface BlobData {
  blobId: string
  offset: number
  size: number
}

/**
 * Runs the network of React Native and the program in a context that has what its engine has: the language, timers, and the
 * native modules that they ask for. These stand for the code of iOS.
 */
export function start(network: string, program: string): typeof Program {
  const blobs = new Map<string, Buffer>()
  const modules: Record<string, object> = {
    Networking: networking((event, ...args) => app.emitter.emit(event, args), blobs),
    BlobModule: {
      getConstants: () => ({ BLOB_URI_SCHEME: 'blob', BLOB_URI_HOST: null }),
      addNetworkingHandler() {},
      createFromParts(parts: { type: string; data: string & BlobData }[], id: string) {
        const bytes = parts.map(({ type, data }) => (type === 'string' ? Buffer.from(data) : bytesOf(blobs, data)))
        blobs.set(id, Buffer.concat(bytes))
      },
      release: (id: string) => blobs.delete(id),
    },
    FileReaderModule: {
      readAsText: async (data: BlobData) => bytesOf(blobs, data).toString(),
      readAsDataURL: async (data: BlobData) =>
        `data:application/octet-stream;base64,${bytesOf(blobs, data).toString('base64')}`,
    },
    PlatformConstants: { getConstants: () => ({ reactNativeVersion: {}, isTesting: false }) },
  }
  const app = createContext({
    ...{ setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, queueMicrotask, btoa, atob, console },
    performance: { now: () => performance.now() },
    TextEncoder,
    nativeModuleProxy: modules,
  }) as App
  runInContext(network, app as never)
  runInContext(program, app as never)
  return app.program
}

const bytesOf = (blobs: Map<string, Buffer>, { blobId, offset, size }: BlobData): Buffer =>
  blobs.get(blobId)!.subarray(offset, offset + size)

interface Query {
  method: string
  url: string
  headers: Record<string, string>
  data: { string?: string; base64?: string; blob?: BlobData }
  responseType: 'text' | 'blob' | 'base64'
}

/** `RCTNetworking.mm`, as far as a client can notice: it follows redirects, and reports in these events. */
function networking(emit: (event: string, ...args: unknown[]) => void, blobs: Map<string, Buffer>) {
  const running = new Map<number, ClientRequest>()
  let last = 0
  const send = (id: number, query: Query, url: string) => {
    const request = httpRequest(url, { method: query.method, headers: query.headers, agent: false })
    running.set(id, request)
    request.on('error', ({ message }) => running.delete(id) && emit('didCompleteNetworkResponse', id, message, false))
    request.on('response', async (response) => {
      const { statusCode = 0, headers } = response
      if (statusCode >= 300 && statusCode < 400 && headers.location)
        return send(id, { ...query, method: 'GET', data: {} }, new URL(headers.location, url).href)
      emit('didReceiveNetworkResponse', id, statusCode, headers, url)
      const bytes = Buffer.concat(await response.toArray())
      if (!running.delete(id)) return
      emit('didReceiveNetworkData', id, received(bytes, query.responseType, blobs))
      emit('didCompleteNetworkResponse', id, null, false)
    })
    const { string, base64, blob } = query.data
    request.end(blob ? bytesOf(blobs, blob) : base64 ? Buffer.from(base64, 'base64') : string)
  }
  return {
    addListener() {},
    removeListeners() {},
    sendRequest(query: Query, callback: (id: number) => void) {
      const id = ++last
      callback(id)
      send(id, query, query.url)
    },
    abortRequest(id: number) {
      const request = running.get(id)
      running.delete(id)
      request?.destroy()
    },
    clearCookies() {},
  }
}

function received(bytes: Buffer, type: Query['responseType'], blobs: Map<string, Buffer>): unknown {
  if (type === 'text') return bytes.toString()
  if (type === 'base64') return bytes.toString('base64')
  const blobId = `response-${blobs.size}`
  blobs.set(blobId, bytes)
  return { blobId, offset: 0, size: bytes.length }
}
