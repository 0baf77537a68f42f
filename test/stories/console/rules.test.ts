import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { VERSION } from '../../support/fixtures.js'
import { consoles, section } from './console.js'

const { start } = consoles()

test('the panel "Client rules" shows what a client has kept and broken, with its requests, and exercises it', async () => {
  const { sandbox, send, open } = await start()
  const page = await open()
  const panel = section(page, 'Client rules')
  await panel.getByText('There was no request.').waitFor()
  sandbox.inject({ status: 429, retryAfter: 5 })
  await send('/runs/run_8Zt4Lm2c')
  // Sooner it might have been under way already, because fetch takes another connection.
  await sleep(300)
  await send('/runs/run_8Zt4Lm2c')
  await panel
    .getByRole('list', { name: 'Broken' })
    .getByText(/It sent getRun again .* after a 429 that asked for 5 s/)
    .waitFor()
  await panel.getByText(`GET ${VERSION}/runs/run_8Zt4Lm2c → 200`).waitFor()
  await panel.getByRole('list', { name: 'Kept', exact: true }).getByText('It sent the header Authorization').waitFor()
  await panel.getByRole('button', { name: 'Exercise the client' }).click()
  await panel
    .getByRole('list', { name: 'Exercises' })
    .getByText(/^Not tried, because no matching request came/)
    .waitFor()
  await send('/runs/run_8Zt4Lm2c').catch(() => {})
  await panel
    .getByRole('list', { name: 'Exercises' })
    .getByText(/^Exercised /)
    .first()
    .waitFor()
})
