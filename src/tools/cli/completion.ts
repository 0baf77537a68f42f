import { Argument, Command } from 'commander'
import { exitOf } from './exit.js'

/** A command, as a completion offers it. */
interface Offer {
  name: string
  description: string
  options: { flag: string; description: string }[]
}

/** `workflow-automation completion`: a script for a shell, made from the commands themselves. */
export const completionCommand = (): Command =>
  new Command('completion')
    .description('Print the completion script for a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      `
If the package is installed globally, or a shell function has its name:
  bash, zsh    eval "$(workflow-automation completion bash)"
  fish         workflow-automation completion fish | source
  powershell   workflow-automation completion powershell | Out-String | Invoke-Expression`,
    )
    .exitOverride(exitOf)
    .action((shell: keyof typeof SCRIPTS, _: object, command: Command) => {
      process.stdout.write(SCRIPTS[shell](offersOf(command.parent ?? command)))
    })

const offersOf = (program: Command): Offer[] =>
  program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    options: command.options.flatMap(({ long, description }) => (long ? [{ flag: long, description }] : [])),
  }))

const NAME = 'workflow-automation'
const namesOf = (offers: Offer[]) => offers.map(({ name }) => name).join(' ')
const flagsOf = ({ options }: Offer) => options.map(({ flag }) => flag).join(' ')
/** A text in single quotes of a shell that doubles them or, as bash and fish do, ends them. */
const quoted = (text: string, quote = `'\\''`) => `'${text.replaceAll("'", quote)}'`

const bash = (offers: Offer[]): string => `_workflow_automation() {
  local words='${namesOf(offers)}'
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "\${COMP_WORDS[1]}" in
${offers.map((offer) => `      ${offer.name}) words='${flagsOf(offer)}' ;;`).join('\n')}
      *) words='' ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _workflow_automation ${NAME}
`

const SCRIPTS = {
  bash,
  zsh: (offers: Offer[]) => `autoload -U +X compinit && compinit -u
autoload -U +X bashcompinit && bashcompinit
${bash(offers)}`,
  fish: (offers: Offer[]) =>
    offers
      .flatMap(({ name, description, options }) => [
        `complete -c ${NAME} -n __fish_use_subcommand -f -a ${name} -d ${quoted(description, "\\'")}`,
        ...options.map(
          (each) =>
            `complete -c ${NAME} -n '__fish_seen_subcommand_from ${name}' -l ${each.flag.slice(2)} -d ${quoted(each.description, "\\'")}`,
        ),
      ])
      .map((line) => `${line}\n`)
      .join(''),
  powershell: (offers: Offer[]) => `Register-ArgumentCompleter -Native -CommandName ${NAME} -ScriptBlock {
  param($word, $ast, $cursor)
  $flags = @{
${offers.map((offer) => `    ${quoted(offer.name)} = ${quoted(flagsOf(offer))}`).join('\n')}
  }
  $given = @($ast.CommandElements | ForEach-Object { "$_" })
  $known = if ($given.Count -gt 1 -and $flags.ContainsKey($given[1])) { $flags[$given[1]] } else { ${quoted(namesOf(offers))} }
  $known -split ' ' | Where-Object { $_ -like "$word*" } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`,
}
