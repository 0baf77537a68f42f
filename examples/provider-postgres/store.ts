/** What the service reads and writes. Every query names the workspace: an id alone opens nothing. */
import { createHash, randomBytes } from 'node:crypto'
import type { PlanChoice } from '@workflow-automation/contract/service'
import type { Playbook, Provider, Run, Step, Workspace } from '@workflow-automation/contract/types'
import type { Pool } from 'pg'
import { isConnectionError, patiently } from './database.js'

/** What a key stands for. */
export interface Grant {
  workspace_id: string
  may_trigger: boolean
  plan: Extract<PlanChoice, string>
  requests_per_minute: number | null
  burst: number | null
}

/** A page of a list, and how many items all pages have. */
export interface Page<Item> {
  items: Item[]
  total: number
}

export interface PageQuery {
  page: number
  per_page: number
}

/** The connection was lost after a run was sent, so that it may have been started. */
export class UnknownOutcomeError extends Error {
  override name = 'UnknownOutcomeError'
}

export type Store = ReturnType<typeof createStore>

export function createStore(pool: Pool) {
  /** Reads are repeated when their connection is lost. */
  const rows = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
    (await patiently(() => pool.query<Row>(text, values))).rows

  /** The total is counted apart, because a page behind the last has no rows. */
  async function page<Item extends object>(
    table: 'playbooks' | 'providers',
    workspace: string,
    { page, per_page }: PageQuery,
  ): Promise<Page<Item>> {
    const where = `from ${table} where workspace_id = $1`
    const [items, counts] = await Promise.all([
      rows<Item>(`select * ${where} order by id limit $2 offset $3`, [workspace, per_page, (page - 1) * per_page]),
      rows<{ total: number }>(`select count(*)::int as total ${where}`, [workspace]),
    ])
    return { items, total: counts[0]?.total ?? 0 }
  }

  return {
    async grantOf(key: string): Promise<Grant | undefined> {
      const [grant] = await rows<Grant>(
        `select workspace_id, may_trigger, plan, requests_per_minute, burst
         from api_keys join workspaces on workspaces.id = workspace_id
         where sha256 = $1 and revoked_at is null`,
        [sha256(key)],
      )
      return grant
    },

    async workspace(id: string): Promise<Workspace | undefined> {
      const [workspace] = await rows<Workspace>('select * from workspaces where id = $1', [id])
      return workspace
    },

    playbooks: (workspace: string, query: PageQuery) => page<Playbook>('playbooks', workspace, query),

    providers: (workspace: string, query: PageQuery) => page<Provider>('providers', workspace, query),

    /**
     * Starts a run; undefined when the workspace has no such playbook. When a connection is lost, nobody knows whether the run
     * was stored: to repeat it with its id stores it once.
     *
     * @throws UnknownOutcomeError
     */
    async trigger(workspace: string, playbook: string, inputs: object): Promise<Run | undefined> {
      if (!isText(playbook)) return undefined
      const id = `run_${randomBytes(12).toString('hex')}`
      let isSent = false
      const insert = async (): Promise<StoredRun | undefined> => {
        const client = await pool.connect()
        const isRepeated = isSent
        isSent = true
        try {
          const { rows } = await client.query<StoredRun>(
            `insert into runs (id, workspace_id, playbook_id, inputs, actions)
             select $3, workspace_id, id, $4, actions from playbooks where workspace_id = $1 and id = $2
             on conflict (id) do update set id = excluded.id
             returning id, status, playbook_id, started_at`,
            [workspace, playbook, id, JSON.stringify(inputs)],
          )
          client.release()
          return rows[0]
        } catch (error) {
          client.release(true)
          // What the server reports of a statement was rolled back.
          isSent = isRepeated || isConnectionError(error)
          throw error
        }
      }
      const run = await patiently(insert).catch((cause) => {
        throw isSent ? new UnknownOutcomeError('Nobody knows whether the run was stored.', { cause }) : cause
      })
      return run && runOf(run, [])
    },

    async run(workspace: string, id: string): Promise<Run | undefined> {
      if (!isText(id)) return undefined
      const [run] = await rows<StoredRun>('select * from runs where workspace_id = $1 and id = $2', [workspace, id])
      return run && runOf(run, await rows('select * from steps where run_id = $1 order by position', [id]))
    },

    /** Lets a run that waits go on. The contract has no operation for it: this is for your own pages. */
    async approve(workspace: string, run: string): Promise<void> {
      await pool.query(
        `update runs set due_at = now() where workspace_id = $1 and id = $2 and status = 'running'
         and exists (select from steps where run_id = id and steps.status = 'waiting_approval')`,
        [workspace, run],
      )
    },

    /** A new key of a workspace. It is returned once, and stored as its hash. */
    async createKey(workspace: string, mayTrigger = true): Promise<string> {
      const key = `wk_${randomBytes(32).toString('base64url')}`
      await pool.query('insert into api_keys (sha256, workspace_id, may_trigger) values ($1, $2, $3)', [
        sha256(key),
        workspace,
        mayTrigger,
      ])
      return key
    },
  }
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

/** PostgreSQL has no texts with a NUL, so nothing has such an id. */
const isText = (id: string): boolean => !id.includes('\0')

interface StoredRun {
  id: string
  status: string
  playbook_id: string
  started_at: Date
}

interface StoredStep {
  position: number
  status: string
  capability: string | null
}

const runOf = (run: StoredRun, steps: StoredStep[]): Run => ({
  id: run.id,
  status: run.status,
  playbook_id: run.playbook_id,
  started_at: run.started_at.toISOString(),
  steps: steps.map(
    ({ position, status, capability }): Step => ({
      id: `step_${position}`,
      status,
      ...(capability !== null && { capability }),
    }),
  ),
})
