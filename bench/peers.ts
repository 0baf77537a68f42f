import { Octokit } from '@octokit/core'
import { retry } from '@octokit/plugin-retry'
import { throttling } from '@octokit/plugin-throttling'
import ky from 'ky'
import OpenAI from 'openai'

type Fetch = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>

/** A way to request a run, by name. */
export type Peers = Record<string, (id: string) => Promise<unknown>>

const apiKey = 'wk_bench'

/** The peers with their retries and their throttling. */
export function createPeers(baseUrl: string, fetch: Fetch, maxRetries = 3): Peers {
  const openai = new OpenAI({ apiKey, baseURL: baseUrl, fetch, maxRetries })
  const headers = { authorization: `Bearer ${apiKey}` }
  const kyClient = ky.create({ prefixUrl: baseUrl, headers, fetch, retry: { limit: maxRetries } })
  const octokit = new (Octokit.plugin(retry, throttling))({
    auth: apiKey,
    baseUrl,
    request: { fetch },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    throttle: {
      onRateLimit: (_after, _options, _octokit, retryCount) => retryCount < maxRetries,
      onSecondaryRateLimit: (_after, _options, _octokit, retryCount) => retryCount < maxRetries,
    },
  })
  return {
    openai: (id) => openai.get(`/runs/${id}`),
    ky: (id) => kyClient.get(`runs/${id}`).json(),
    octokit: async (id) => (await octokit.request('GET /runs/{id}', { id })).data,
  }
}
