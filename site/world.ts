import type { World } from '../src/tools/sandbox/index.js'

const STARTED = '2026-11-21T08:00:00Z'
const KEYS = ['wk_example', 'wk_reader', 'wk_writer']

/** The keys, playbooks and runs that the guides name; the first run is also in the default world of a sandbox. */
export const GUIDE_WORLD: World = {
  examples: {
    workspace: { id: 'ws_1', name: 'Examples' },
    keys: Object.fromEntries(KEYS.map((value) => [value, { value }])),
    playbooks: {
      welcome: {
        playbook: { id: 'pb_7hQ2vn', name: 'Welcome a customer' },
        steps: [{ capability: 'mail.send' }],
      },
      refund: {
        playbook: { id: 'pb_3kX9wq', name: 'Refund an order' },
        steps: [{ capability: 'billing.refund' }, { capability: 'mail.send' }],
      },
      approve: {
        playbook: { id: 'pb_2', name: 'Refund an order after an approval' },
        steps: [{ capability: 'billing.find' }, { approval: true }, { capability: 'billing.refund' }],
      },
      fail: {
        playbook: { id: 'pb_3', name: 'Close stale tickets' },
        steps: [{ capability: 'tickets.close', fails: true }],
      },
    },
    providers: ['billing', 'mail', 'tickets'].map((id) => ({ id, name: id })),
    runs: [
      ...['run_8Zt4Lm2c', 'run_1', 'run_2', 'run_3'].map((id) => ({
        id,
        playbook_id: 'pb_3kX9wq',
        started_at: STARTED,
      })),
      { id: 'run_4', playbook_id: 'pb_2', started_at: STARTED },
      { id: 'run_5', playbook_id: 'pb_3', started_at: STARTED },
    ],
  },
}
