import { type Client, type ClientOptions, createClient } from '../../src/index.js'
import { createSandbox } from '../../src/tools/sandbox/index.js'
import { VERSION } from '../support/fixtures.js'
import { serve } from '../support/server.js'

/** A response of the service on its way to the client. */
export interface Outgoing {
  method: string
  path: string
  query: URLSearchParams
  status: number
  headers: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: an assumption that is wrong may give it any form
  body: any
}

/** Opens a server on loopback that differs from the contract by one wrong assumption, and a client of it. */
export async function wrongService(
  change: (response: Outgoing, number: number) => void,
  options: Partial<ClientOptions> = {},
) {
  const sandbox = createSandbox({ plan: false })
  const started: string[] = []
  const server = await serve(async ({ method, url, headers, body }, number) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const given = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, `${value}`]]))
    const response = await sandbox.fetch(sandbox.baseUrl.replace(/\/v\d+$/, url), {
      method,
      headers: given.filter(([name]) => !/^(host|connection|content-length|transfer-encoding)$/.test(name!)) as [
        string,
        string,
      ][],
      ...(body !== '' && { body }),
    })
    const text = await response.text()
    const outgoing: Outgoing = {
      method,
      path: pathname.replace(VERSION, ''),
      query: searchParams,
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: text === '' ? undefined : JSON.parse(text),
    }
    if (method === 'POST' && response.ok) started.push(outgoing.body.id)
    change(outgoing, number)
    const { status, headers: sent, body: own } = outgoing
    delete sent['content-length']
    return { status, headers: sent, body: own === undefined ? '' : own }
  })
  const client: Client = createClient({
    baseUrl: server.baseUrl,
    apiKey: sandbox.keys.valid,
    allowHttp: true,
    polling: { minInterval: 10, maxInterval: 20 },
    ...options,
  })
  return { sandbox, client, server, started, playbooks: sandbox.playbooks }
}

/** What a call comes to: its value, or the name and message of its error. */
export const seenOf = async (call: Promise<unknown>): Promise<unknown> =>
  call.catch((error: Error) => `${error.name}: ${error.message}`)
