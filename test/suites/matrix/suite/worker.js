/**
 * The suite in a worker: a request to it returns what it found. Requests to `/shared/…` use one client, made by the first
 * of them, while others are under way: each has a context of its own, and what one waits for must not end with another.
 * The query has the base URL of the sandbox, and the id of a run.
 */
import { createClient } from '@workflow-automation/contract'
import { runSuite } from './suite.js'

let shared

const calls = {
  '/shared/run': (client, id) => client.getRun(id),
  '/shared/list': (client) => client.listPlaybooks(),
  '/shared/queue': (client, id) => client.getRun(id),
  '/shared/wait': (client, id) => client.waitForRun(id, { timeout: 20_000 }),
}

export default {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url)
    const [baseUrl, apiKey, id] = ['server', 'key', 'run'].map((name) => searchParams.get(name))
    const call = calls[pathname]
    if (!call) return Response.json(await runSuite(baseUrl))
    const plan = { requestsPerMinute: 600, burst: 2 }
    shared ??= createClient({ baseUrl, apiKey, plan, polling: { minInterval: 50, maxInterval: 200 } })
    try {
      return Response.json(await call(shared, id))
    } catch (error) {
      return new Response(String(error?.stack ?? error), { status: 500 })
    }
  },
}
