import { Command } from 'commander'
import { protocol } from '../../../generated/operations.js'
import { docsCommand } from './docs.js'
import { exitOf } from './exit.js'
import { mockCommand } from './mock.js'
import { manifest } from './package.js'
import { sandboxCommand } from './sandbox/index.js'
import { listCommand, whoamiCommand } from './terminal/lists.js'
import { triggerCommand } from './terminal/trigger.js'
import { runCommand, waitCommand } from './terminal/wait.js'
import { verifyCommand } from './verify/index.js'

/** The command line, with all its commands. */
export const createProgram = (): Command =>
  new Command('workflow-automation')
    .description('Use the Workflow Automation Service from a terminal; run its sandbox, mock and conformance check.')
    .version(manifest.version)
    .exitOverride(exitOf)
    .showHelpAfterError(
      [
        'The commands: workflow-automation --help. `run <id>` shows a run.',
        'The contract has no operation that lists or approves runs; the console of `sandbox` does both for its own.',
      ].join(' '),
    )
    .addCommand(whoamiCommand())
    .addCommand(listCommand('playbooks', 'listPlaybooks'))
    .addCommand(listCommand('providers', 'listProviders'))
    .addCommand(triggerCommand())
    .addCommand(runCommand())
    .addCommand(waitCommand())
    .addCommand(sandboxCommand())
    .addCommand(mockCommand())
    .addCommand(verifyCommand())
    .addCommand(docsCommand())
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
