// A client of plain fetch; FAULT plants a fault.
import { setTimeout as sleep } from 'node:timers/promises'

const { FAULT, WORKFLOW_BASE_URL, WORKFLOW_API_KEY } = process.env
const headers = {
  authorization: `Bearer ${WORKFLOW_API_KEY}`,
  'content-type': 'application/json',
  ...(FAULT === 'pins to no date' && { 'service-version': '2026-1' }),
}

class Unknown extends Error {}

async function call(method, path, body) {
  for (let attempt = 0; attempt < 6; attempt++) {
    const response = await fetch(WORKFLOW_BASE_URL + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    }).catch(() => undefined)
    if (!response && method === 'POST') throw new Unknown('It is not known whether the run was started.')
    const status = response?.status
    if (status === 429) await sleep(1_000 * Number(response.headers.get('retry-after') ?? 1))
    else if (status === 500 || !response) await sleep(300)
    else if (status > 500 && method === 'POST') throw new Unknown(`The run may have been started: ${status}`)
    else if (response.ok) return response.json()
    else throw new Error(`${method} ${path}: ${status}`)
  }
  throw new Error('gave up')
}

const { data } = await call('GET', '/playbooks')
for (let order = 0; order < 4; order++) {
  try {
    const run = await call('POST', `/playbooks/${data[0].id}/runs`, { inputs: { order: String(order) } })
    const polls = FAULT === 'keeps no pace' ? 50 : 10
    for (let poll = 0; poll < polls; poll++) {
      await call('GET', `/runs/${run.id}`)
      if (FAULT !== 'keeps no pace') await sleep(100)
    }
  } catch (error) {
    if (!(error instanceof Unknown)) throw error
    console.log(error.message)
  }
}
