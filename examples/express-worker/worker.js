import { setTimeout } from 'node:timers/promises'
import {
  ConnectionError,
  NotFoundError,
  RateLimitError,
  RunTimeoutError,
  ServerError,
  triggerOutcome,
} from '@workflow-automation/contract'

/** How long a trigger may take, in ms: less than the platform waits between SIGTERM and SIGKILL. */
const TRIGGER_TIMEOUT = 20_000

/** Triggers what is wanted and follows what runs, also what an earlier process has begun. */
export function createWorker({ client, jobs, pause = 60_000, log = console }) {
  const stopping = new AbortController()
  const { signal } = stopping
  const underWay = new Set()

  async function trigger({ id, playbook, inputs }) {
    jobs.set(id, 'triggering')
    try {
      // Without the signal: an aborted trigger may have started a run.
      const run = await client.triggerRun(playbook, { inputs }, { totalTimeout: TRIGGER_TIMEOUT })
      jobs.set(id, 'running', run.id)
    } catch (error) {
      jobs.set(id, stateAfter(error))
      log.error(`Job ${id} is ${jobs.get(id).state}: ${error.message}`)
    }
  }

  /** An approval may take days, so a watch that timed out is resumed after a pause. */
  async function watch({ id, run }) {
    while (!signal.aborted)
      try {
        const { status } = await client.waitForRun(run, { signal })
        return jobs.set(id, status)
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof NotFoundError) return jobs.set(id, 'unknown')
        if (!(error instanceof RunTimeoutError)) log.error(`Job ${id}: ${error.message}`)
        await setTimeout(pause, undefined, { signal }).catch(() => {})
      }
  }

  async function work(job) {
    if (job.state === 'wanted') await trigger(job)
    const { state } = jobs.get(job.id)
    if (state === 'running') await watch(jobs.get(job.id))
  }

  /** Begins what is not under way in this process. */
  function wake() {
    for (const job of [...jobs.inState('wanted'), ...jobs.inState('running')]) {
      if (signal.aborted || underWay.has(job.id)) continue
      underWay.add(job.id)
      work(job).finally(() => underWay.delete(job.id))
    }
  }

  // Whether these were received is not known: the process ended while it sent them.
  for (const { id } of jobs.inState('triggering')) jobs.set(id, 'unknown')
  wake()
  const again = setInterval(wake, pause)
  return {
    wake,
    /** Ends the watches and waits for triggers, whose runs would be lost. */
    async stop() {
      clearInterval(again)
      stopping.abort()
      while (underWay.size > 0) await setTimeout(10)
    },
  }
}

/** What is known of a job whose trigger failed. */
function stateAfter(error) {
  // A run that was started without a known id needs a look, too.
  if (triggerOutcome(error) !== 'safe') return 'unknown'
  const isTransient =
    error instanceof ConnectionError || error instanceof RateLimitError || error instanceof ServerError
  return isTransient ? 'wanted' : 'refused'
}
