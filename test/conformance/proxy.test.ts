import { describe, expect, it, vi } from 'vitest'
import { ConformanceError, checkConformance } from '../../src/tools/conformance/index.js'
import { VERSION } from '../support/fixtures.js'
import { fakeClock } from './service.js'

/** Why a check of an address that does not exist is not possible, with these variables. */
async function whyNot(
  variables: Record<string, string>,
  {
    baseUrl = `https://workflow-automation.invalid${VERSION}`,
    fetch,
  }: { baseUrl?: string; fetch?: typeof globalThis.fetch } = {},
): Promise<string> {
  const all = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY', 'NODE_USE_ENV_PROXY', 'NODE_OPTIONS']
  for (const name of [...all, ...all.map((each) => each.toLowerCase())]) vi.stubEnv(name, variables[name])
  const unreachable = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
  const failing = async () => Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: unreachable }))
  if (!fetch) vi.stubGlobal('fetch', failing)
  try {
    await checkConformance({ baseUrl, apiKey: 'key', clock: fakeClock(), ...(fetch && { fetch: failing }) })
    return 'it was possible'
  } catch (error) {
    if (!(error instanceof ConformanceError)) throw error
    return error.message
  } finally {
    vi.unstubAllEnvs()
    vi.unstubAllGlobals()
  }
}

const usesProxies = Number.parseInt(process.versions.node, 10) >= 24
const PROXY = 'http://proxy.example:3128'

describe("a company's proxy", () => {
  it.each([
    ['HTTPS_PROXY', { HTTPS_PROXY: PROXY }],
    ['https_proxy', { https_proxy: PROXY }],
    ['HTTP_PROXY', { HTTP_PROXY: PROXY }, `http://workflow-automation.invalid${VERSION}`],
  ])('with %s set and unused the message says what to set', async (name, variables, baseUrl?: string) => {
    const message = await whyNot(variables as Record<string, string>, baseUrl === undefined ? {} : { baseUrl })
    expect(message).toContain(`${name} is set, and Node's fetch does not use it by itself`)
    expect(message).toContain('NODE_USE_ENV_PROXY=1')
    expect(message).toContain('EnvHttpProxyAgent')
    expect(message).not.toContain('spelt')
  })

  it('the address of the proxy, which may have a password in it, is not in the message', async () => {
    expect(await whyNot({ HTTPS_PROXY: 'http://user:secret@proxy.example:3128' })).not.toMatch(/secret|proxy\.example/)
  })

  it.each([
    { HTTPS_PROXY: PROXY, NODE_USE_ENV_PROXY: '1' },
    { HTTPS_PROXY: PROXY, NODE_OPTIONS: '--use-env-proxy' },
  ])(
    'with %o the proxy is used from Node 24 on, and the message says that an older Node ignores it',
    async (variables) => {
      const message = await whyNot(variables)
      expect(message.includes('HTTPS_PROXY is set')).toBe(!usesProxies)
    },
  )

  it.each<[what: string, variables: Record<string, string>, more?: Parameters<typeof whyNot>[1]]>([
    ['no proxy is set', {}],
    ['the proxy is one for other schemes', { HTTP_PROXY: PROXY }],
    ['the address is an exception', { HTTPS_PROXY: PROXY, NO_PROXY: 'localhost, .invalid' }],
    ['every address is an exception', { HTTPS_PROXY: PROXY, no_proxy: '*' }],
    ['the fetch is the own one of the caller', { HTTPS_PROXY: PROXY }, { fetch }],
  ])('when %s the message says what else to look at', async (_, variables, more) => {
    const message = await whyNot(variables, more)
    expect(message).toContain('Check how it is spelt, and the DNS.')
    expect(message).not.toContain('PROXY')
  })
})
