import { createClient } from '@workflow-automation/contract'

let client

/** One client for all requests: they share its cache and its rate. It is made at the first, because a build has no key. */
export const getClient = () => {
  const { BASE_URL, WORKFLOW_API_KEY } = process.env
  client ??= createClient({ baseUrl: BASE_URL, apiKey: WORKFLOW_API_KEY, totalTimeout: 10_000 })
  return client
}
