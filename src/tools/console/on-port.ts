import { protocol } from '../../../generated/contract.js'
import { connectControl, RESPOND_WITHIN, type RemoteError, type Token } from '../sandbox/remote/control.js'
import { CONTROL } from '../sandbox/world/name.js'
import type { Backend } from './backend.js'

/** The sandbox at an address, which may have the path of a proxy, or its world at a path such as `/w/one`. */
export function createPortBackend(address: string, world: string, token: Token): Backend {
  const { send, follow } = connectControl(address, token)
  return {
    baseUrl: `${address}${world}${protocol.versionSegment}`,
    isReachable: true,
    async command<T>(command: string, body?: object): Promise<T> {
      const [method = '', path = ''] = command.split(' ')
      const signal = method === 'GET' ? AbortSignal.timeout(RESPOND_WITHIN) : undefined
      const result = await send(method, `${world}${CONTROL}/${path}`, body, signal).catch((error) => {
        const { reason, message }: RemoteError = error
        throw new Error(reason ?? message)
      })
      return result as T
    },
    fetch: (url, init) => fetch(url, init),
    subscribe(listener) {
      const ended = new AbortController()
      void follow(world, listener, ended.signal)
      return () => ended.abort()
    },
  }
}
