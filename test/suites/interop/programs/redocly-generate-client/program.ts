import { configure, getRun, listPlaybooks, triggerRun } from './client/client'
import { statusOf, tryClient } from './scenario'

const { BASE_URL: serverUrl = '', API_KEY = '', LIMITED_KEY = '' } = process.env
configure({ serverUrl, auth: { bearer: API_KEY } })

await tryClient({
  list: () => listPlaybooks(),
  trigger: (id, body) => triggerRun({ path: { id }, body }),
  get: (id) => getRun({ path: { id } }),
  unknown: (id) => statusOf(getRun({ path: { id } })),
  limited() {
    configure({ auth: { bearer: LIMITED_KEY }, retry: { retries: 0 } })
    return statusOf(listPlaybooks())
  },
})
