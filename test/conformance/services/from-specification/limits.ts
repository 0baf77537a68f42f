import { limit } from '../plain.js'
import {
  buckets,
  byOther,
  byReader,
  drained,
  EXCEEDED,
  HEADER,
  LIMITS,
  limited,
  me,
  type Row,
  send,
  THOROUGH,
} from './frame.js'

export const LIMIT_ROWS: Row[] = [
  [
    LIMITS,
    'each key has its own limit',
    buckets((c) => c.principal.key),
    drained(send('getCurrentWorkspace', byReader)),
  ],
  [
    LIMITS,
    'each user agent has its own limit',
    buckets((c) => `${c.principal.workspace.id} ${c.request.headers.get('user-agent')}`),
    drained(send('getCurrentWorkspace', { headers: { 'user-agent': 'another/2.0' } })),
  ],
  [LIMITS, 'all workspaces share one limit', buckets(() => 'all'), drained(send('getCurrentWorkspace', byOther))],
  [
    EXCEEDED,
    'each of two replicas counts the requests that it has got',
    buckets((c) => `${c.principal.workspace.id} ${c.count % 2}`),
    drained(me),
    THOROUGH,
  ],
  [
    EXCEEDED,
    'simultaneous requests are counted as one',
    (base) => ({
      stages: base.stages.map((stage) =>
        stage !== limit
          ? stage
          : async (c) => {
              const name = c.does.bucket(c)
              const was = c.world.buckets.get(name)
              await c.world.sleep(5)
              if (was && c.does.counted(c)) c.world.buckets.set(name, was)
              return limit(c)
            },
      ),
    }),
    async (d) => {
      await d.send('getCurrentWorkspace')
      return Promise.all(Array.from({ length: 125 }, () => d.send('getCurrentWorkspace')))
    },
    THOROUGH,
  ],
  [
    EXCEEDED,
    'a trigger resets the limit of its workspace',
    (base) => ({
      triggered(c, run) {
        c.world.buckets.delete(c.does.bucket(c))
        return base.triggered(c, run)
      },
    }),
    drained(async (d) => {
      await d.trigger()
      return d.send('getCurrentWorkspace')
    }),
  ],
  [HEADER, 'Retry-After is missing', limited(({ headers: _, ...was }) => was), drained(me)],
  [
    HEADER,
    'Retry-After is a date',
    limited((was, { retry_after }, c) => ({
      ...was,
      headers: { 'retry-after': new Date(c.now + Number(retry_after) * 1000).toUTCString() },
    })),
    drained(me),
  ],
  [
    'retry_after: integer. Seconds to wait before retrying.',
    'retry_after is in milliseconds',
    limited((was, b) => ({
      ...was,
      body: { ...b, retry_after: Number(b.retry_after) * 1000 },
    })),
    drained(me),
  ],
  [
    'Triggers do not count against the rate limit.',
    'triggers count against the rate limit',
    () => ({ counted: () => true }),
    drained(me, 'triggerRun'),
  ],
]
