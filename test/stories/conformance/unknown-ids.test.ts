import { expect, it } from 'vitest'
import { ofSameForm } from '../../../src/tools/conformance/live/cases/similar-ids.js'
import { detect, entriesOf } from '../../conformance/detection.js'
import { ids, refuse, tryService } from '../../conformance/service.js'
import { honestServices } from '../../conformance/services/index.js'

it.each([
  ['run_8Zt4Lm2c', 'run_0Aa0Aa0a'],
  ['pb_1', 'pb_0'],
  ['9f-3b', '9f-0a'],
  ['3f2504e0-4f89-41d3-9a0c-0305e82c3301', '0a0000a0-0a00-40a0-9a0a-0000a00a0000'],
  ['run-3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'run-0a0000a0-0a00-40a0-9a0a-0000a00a0000'],
  ['1042', '0000'],
  ['eyJpZCI6MX0=', 'aaAaAAA0AA0='],
])('an unknown id of the form of %s is %s', (id, unknown) => {
  expect(ofSameForm(id, '0', 'a')).toBe(unknown)
})

/** A form of ids that a service may check before it looks one up. */
const FORM = /^\/(runs|playbooks)\/(run|pb)_(?=.*\d)[\dA-Za-z]{4,8}(\/.*)?$/

it('a service that responds with 400 to an id unlike every id that was seen fails nothing', async () => {
  const report = await tryService(
    (it) => {
      const isId = /^\/(runs|playbooks)\/./.test(it.path)
      if (isId && it.status === 404 && !FORM.test(decodeURIComponent(it.path))) refuse(it, 400)
    },
    { trigger: 'succeeds', options: { depth: 'thorough' } },
  )
  expect(ids(report, 'fail')).toEqual([])
})

it('a service that responds with 400 to an id of the same form fails', async () => {
  const report = await tryService((it) => it.path.startsWith('/runs/') && it.status === 404 && refuse(it, 400), {
    trigger: 'succeeds',
  })
  expect(ids(report, 'fail')).toEqual(['S22'])
})

it('a service that sends its errors with 200 fails by their status, and not by what a success has', async () => {
  const report = await tryService(
    (it) => {
      if (it.path.startsWith('/runs/') && it.status === 404) it.status = 200
    },
    { trigger: 'succeeds', options: { depth: 'quick' } },
  )
  expect(ids(report, 'fail')).toEqual(['S22', 'D03'])
})

const honest = (name: string) => honestServices.find((each) => each.name === name)!

it('a service that counts its runs does not fail, because an id that was made up may be that of an earlier run', async () => {
  const report = await detect(honest('numbers, of which a thousand were there before'), 'normal')
  expect(entriesOf(report, 'fail')).toEqual([])
})

it.each(['numbers, of which the list shows a part', 'numbers, of which the list shows a part, and the key anywhere'])(
  'no run is started where nothing may be triggered, and the ids of playbooks are %s',
  async (name) => {
    const service = honest(name)
    let started = 0
    const counting = {
      ...service,
      create: (options: Parameters<typeof service.create>[0]) => {
        const running = service.create(options)
        const fetch: typeof running.fetch = async (input, init) => {
          const response = await running.fetch(input, init)
          if (init?.method === 'POST' && response.ok) started++
          return response
        }
        return { ...running, fetch }
      },
    }
    const report = await detect(counting, 'normal', { trigger: undefined })
    expect({ started, failed: entriesOf(report, 'fail') }).toEqual({ started: 0, failed: [] })
  },
)
