/** The suite in a worker: a request to it answers what it found. The query holds the base URL of the sandbox. */
import { runSuite } from './suite.js'

export default {
  async fetch(request) {
    return Response.json(await runSuite(new URL(request.url).searchParams.get('server')))
  },
}
