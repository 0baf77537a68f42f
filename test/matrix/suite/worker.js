/** The suite in a worker: a request to it returns what it found. The query has the base URL of the sandbox. */
import { runSuite } from './suite.js'

export default {
  async fetch(request) {
    return Response.json(await runSuite(new URL(request.url).searchParams.get('server')))
  },
}
