import { beforeEach } from 'vitest'

/** They take a second or more of real time, which each mutant that survives would wait for, or test sizes or `dist/`. */
const SKIPPED = [
  'watchRun and errors work where the prototypes of the runtime are frozen',
  'the queue continues when all queued calls are aborted while the event loop is busy',
  'a body that is no text is sent as it is, from a serializer and from a middleware, also again',
  'the key is in no error, hook, JSON, inspection or stack, even when the service repeats it',
  'a 429 pauses 200 concurrent calls, which resume at the rate that it states',
  'a key that was replaced within the call, following a 500, is in no error',
  'a GET is retried when a compressed body was cut off',
  '150,000 items that are wrong are found in linear time',
  'a callback is called soon for each of 20,000 steps',
  'events end for a reader that falls behind, and go on for one that reads',
]

beforeEach(({ task, skip }) => skip(SKIPPED.includes(task.name)))
