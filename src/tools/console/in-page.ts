import { executeCommand } from '../sandbox/control/commands.js'
import { engineOf, type Sandbox } from '../sandbox/sandbox.js'
import type { Backend } from './backend.js'

/** A sandbox in the page itself: no server, and no request leaves the page. */
export const createInPageBackend = (sandbox: Sandbox): Backend => ({
  baseUrl: sandbox.baseUrl,
  isReachable: false,
  async command<T>(target: string, body?: object): Promise<T> {
    const [command = '', query] = target.split('?')
    const readBody = async () => JSON.stringify(body ?? {})
    return (await executeCommand(sandbox, command, { query: new URLSearchParams(query), readBody })) as T
  },
  fetch: (url, init) => sandbox.fetch(url, init),
  subscribe({ changed, event, connection }) {
    const unsubscribe = engineOf(sandbox).events.subscribe(
      (each, number) => (each.type === 'reset' ? changed() : event(each, number)),
      () => connection('ended'),
    )
    connection('live')
    changed()
    return unsubscribe
  },
})
