import { Command, type OutputConfiguration } from 'commander'
import { protocol } from '../../../generated/contract.js'
import { docsCommand } from './docs.js'
import { mockCommand } from './mock.js'
import { manifest } from './package.js'
import { sandboxCommand } from './sandbox/index.js'
import { err, type Output, out } from './screen.js'
import { listCommand, whoamiCommand } from './terminal/lists.js'
import { triggerCommand } from './terminal/trigger.js'
import { runCommand, waitCommand } from './terminal/wait.js'
import { verifyCommand } from './verify/index.js'

/** The command line, with all its commands. What the arguments get wrong rejects with a CommanderError. */
export function createProgram(): Command {
  const program = new Command('workflow-automation')
    .description('Use the Workflow Automation Service from a terminal; run its sandbox, mock and conformance check.')
    .version(manifest.version)
    .exitOverride()
    .configureOutput(OUTPUT)
    .addHelpText(
      'after',
      `
Examples:
  export WORKFLOW_BASE_URL=https://workflow-automation.example${protocol.versionSegment} WORKFLOW_API_KEY=…
  workflow-automation trigger <playbook> --input order=42 --wait
  workflow-automation sandbox --port 4010
  WORKFLOW_API_KEY=… workflow-automation verify https://workflow-automation.example${protocol.versionSegment}

Without the package installed in your project:
  npx ${manifest.name} <command>`,
    )
  const commands = [
    whoamiCommand(),
    listCommand('playbooks', 'listPlaybooks'),
    listCommand('providers', 'listProviders'),
    triggerCommand(),
    runCommand(),
    waitCommand(),
    sandboxCommand(),
    mockCommand(),
    verifyCommand(),
    docsCommand(),
  ]
  for (const command of commands) {
    const usage = `Usage: workflow-automation ${command.name()} ${command.usage()}`
    program.addCommand(command.exitOverride().configureOutput(OUTPUT).showHelpAfterError(usage))
  }
  return program.showHelpAfterError('The commands: workflow-automation --help.')
}

const helpWidth = ({ width }: Output): number => (width === Number.POSITIVE_INFINITY ? HELP_WIDTH : width)

/** Commander writes as every command does. */
const OUTPUT: OutputConfiguration = {
  writeOut: (text) => out.block(text),
  writeErr: (text) => err.block(text),
  getOutHelpWidth: () => helpWidth(out),
  getErrHelpWidth: () => helpWidth(err),
  outputError: (text, write) => write(ABOUT_RUNS.test(text) ? `${text}${NO_RUNS}\n` : text),
}

/** The width of help that is not printed on a terminal. */
const HELP_WIDTH = 80

const ABOUT_RUNS = /unknown command '[^']*(?:run|approv|deny|reject|cancel|stop|status|state|step)/i
const NO_RUNS =
  '`run <id>` shows a run. The contract has no operation that lists or approves runs; the console of `sandbox` does both for its own.'
