import { MASKED } from '../../internal/mask.js'
import type { SeenRequest } from './types.js'

/** The request as a command for a shell of POSIX, with the key from the environment. */
export function curlOf({ method, url, headers, body }: SeenRequest): string {
  const fields = Object.entries(headers).map(([name, value]) => ` -H ${header(`${name}: ${value}`)}`)
  const data = body === undefined ? '' : ` --data-binary ${quoted(body)}`
  return `curl -i -X ${method}${fields.join('')}${data} ${quoted(url)}`
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** What is masked is a key, which the shell inserts. */
const header = (text: string): string => text.split(MASKED).map(quoted).join('"$WORKFLOW_API_KEY"').replaceAll(`''`, '')
