import { getRun, listPlaybooks, triggerRun } from './client/index'
import { tryClient } from './scenario'

const { BASE_URL: baseURL = '', API_KEY = '', LIMITED_KEY = '' } = process.env
const withKey = (key: string) => ({ baseURL, headers: { Authorization: `Bearer ${key}` } })
const json = { baseURL, headers: { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'application/json' } }

await tryClient({
  list: async () => (await listPlaybooks({}, {}, withKey(API_KEY))).data,
  trigger: async (id, body) => (await triggerRun(id, body, {}, json)).data,
  get: async (id) => (await getRun(id, {}, withKey(API_KEY))).data,
  unknown: async (id) => (await getRun(id, {}, withKey(API_KEY))).status,
  limited: async () => (await listPlaybooks({}, {}, withKey(LIMITED_KEY))).status,
})
