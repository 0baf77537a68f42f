import { describe, expect, it } from 'vitest'
import { LIST, rejection } from '../support/server.js'
import { inVirtualTime } from '../support/virtual-time.js'

describe('options of a call among its data', () => {
  it('options in the query of a list are refused, with where they belong', async () => {
    const { client, sent } = inVirtualTime(() => Response.json(LIST))
    const error = await rejection(client.listPlaybooks({ page: 2, timeout: 1, headers: {} } as object))
    expect(error).toEqual(
      new TypeError(
        'timeout, headers: options are an argument of their own, as in listPlaybooks(query, { timeout, headers }).',
      ),
    )
    expect(sent).toEqual([])
  })

  it.each(['signal', 'headers', 'timeout', 'totalTimeout', 'retry', 'cache', 'serviceVersion'])(
    'the option %s in the body of a trigger is refused, with where it belongs',
    async (name) => {
      const { client, sent } = inVirtualTime(() => Response.json({ id: 'run_1' }, { status: 201 }))
      const params = { inputs: {}, [name]: undefined }
      expect(await rejection(client.triggerRun('pb_1', params))).toEqual(
        new TypeError(`${name}: options are an argument of their own, as in triggerRun(id, params, { ${name} }).`),
      )
      expect(sent).toEqual([])
    },
  )

  it('inputs of a run may have the names of options', async () => {
    const { client, sent } = inVirtualTime(() => Response.json({ id: 'run_1' }, { status: 201 }))
    await client.triggerRun('pb_1', { inputs: { timeout: '5' } })
    expect(sent[0]?.init.body).toBe('{"inputs":{"timeout":"5"}}')
  })
})
