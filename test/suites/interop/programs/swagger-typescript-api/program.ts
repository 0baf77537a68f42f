import { Api } from './client/Api'
import { statusOf, tryClient } from './scenario'

const { BASE_URL: baseUrl = '', API_KEY = '', LIMITED_KEY = '' } = process.env
const withKey = (key: string) =>
  new Api({ baseUrl, baseApiParams: { headers: { Authorization: `Bearer ${key}` }, format: 'json', secure: true } })
const { playbooks, runs } = withKey(API_KEY)

await tryClient({
  list: async () => (await playbooks.listPlaybooks({})).data,
  trigger: async (id, body) => (await playbooks.triggerRun(id, body)).data,
  get: async (id) => (await runs.getRun(id)).data,
  unknown: (id) => statusOf(runs.getRun(id)),
  limited: () => statusOf(withKey(LIMITED_KEY).playbooks.listPlaybooks({})),
})
