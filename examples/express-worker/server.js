import { createClient } from '@workflow-automation/contract'
import express from 'express'
import { openJobs } from './jobs.js'
import { createWorker } from './worker.js'

const { BASE_URL, WORKFLOW_API_KEY, REFUND_PLAYBOOK, DATABASE = 'jobs.db', PORT = '3000', POLL_INTERVAL } = process.env

const client = createClient({
  baseUrl: BASE_URL,
  apiKey: WORKFLOW_API_KEY,
  plan: 'pro',
  polling: { minInterval: POLL_INTERVAL && Number(POLL_INTERVAL) },
})
const jobs = openJobs(DATABASE)
const worker = createWorker({ client, jobs })

const app = express()
app.put('/refunds/:order', (request, response) => {
  const { order } = request.params
  jobs.add({ id: order, playbook: REFUND_PLAYBOOK, inputs: { order } })
  worker.wake()
  response.status(202).json(jobs.get(order))
})
app.get('/refunds/:order', (request, response) => {
  const job = jobs.get(request.params.order)
  response.status(job ? 200 : 404).json(job ?? { message: 'There is no such refund.' })
})

const server = app.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))

for (const signal of ['SIGTERM', 'SIGINT'])
  process.once(signal, async () => {
    server.close()
    await worker.stop()
    jobs.close()
  })
