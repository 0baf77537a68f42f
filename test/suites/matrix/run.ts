import { spawn } from 'node:child_process'

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs a command to its end, for five minutes at most. */
export const run = (command: string, args: string[], cwd: string): Promise<Finished> =>
  new Promise((resolve, reject) => {
    const env = { ...process.env, NO_COLOR: '1', NODE_OPTIONS: '' }
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 300_000 })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (chunk) => (stdout += chunk))
    child.stderr.on('data', (chunk) => (stderr += chunk))
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, stdout, stderr }))
  })
