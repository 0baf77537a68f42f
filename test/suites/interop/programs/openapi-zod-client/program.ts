import { createApiClient } from './client/index'
import { statusOf, tryClient } from './scenario'

const { BASE_URL = '', API_KEY = '', LIMITED_KEY = '' } = process.env
const clientOf = (key: string) =>
  createApiClient(BASE_URL, { axiosConfig: { headers: { Authorization: `Bearer ${key}` } } })
const client = clientOf(API_KEY)

await tryClient({
  list: () => client.listPlaybooks(),
  trigger: (id, body) => client.triggerRun(body, { params: { id } }),
  get: (id) => client.getRun({ params: { id } }),
  unknown: (id) => statusOf(client.getRun({ params: { id } })),
  limited: () => statusOf(clientOf(LIMITED_KEY).listPlaybooks()),
})
