import { type Call, inTime } from './call.js'
import { type ApiKey, validKey } from './keys.js'

/** The `Authorization` of a client's requests, as it is now. */
export type Credentials = (call: Call) => Promise<string>

/** Asks for the key. Basis: S23. */
export const createCredentials =
  (apiKey: ApiKey): Credentials =>
  async (call) => {
    const key = typeof apiKey === 'string' ? apiKey : validKey(await inTime(call, async () => apiKey()))
    call.keys.add(key)
    return `Bearer ${key}`
  }
