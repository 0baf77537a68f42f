import { handleControl } from '../control.js'
import { internalsOf, type Sandbox } from '../create.js'
import type { Backend } from './backend.js'

/** A sandbox in the page itself: no server, and no request leaves the page. */
export const createInPageBackend = (sandbox: Sandbox): Backend => ({
  baseUrl: sandbox.baseUrl,
  isReachable: false,
  async command<T>(command: string, body: object = {}): Promise<T> {
    const [method = '', target = ''] = command.split(' ')
    const [path = '', query = ''] = target.split('?')
    const text = JSON.stringify(body)
    const request = { method, path, query, header: () => null, headers: () => ({}), signal: () => undefined }
    const response = await handleControl(sandbox, { ...request, text: async () => text }, path)
    return JSON.parse(response.text)
  },
  fetch: (url, init) => sandbox.fetch(url, init),
  subscribe({ open, event, connection }) {
    const unsubscribe = internalsOf(sandbox).events.subscribe(event, () => connection('lost'))
    connection('live')
    open()
    return unsubscribe
  },
})
