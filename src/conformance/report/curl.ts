import { MASKED } from '../../internal/mask.js'
import type { SeenRequest } from './types.js'

/** The request as a command for a shell of POSIX. What is masked is the key, from the environment, or another one. */
export function curlOf({ method, url, headers, body }: SeenRequest, hasKey: boolean): string {
  const key = hasKey ? '"$WORKFLOW_API_KEY"' : 'another-key'
  const fields = Object.entries(headers).map(([name, value]) => ` -H ${header(`${name}: ${value}`, key)}`)
  const data = body === undefined ? '' : ` --data-binary ${quoted(body)}`
  return `curl -i -X ${method}${fields.join('')}${data} ${quoted(url)}`
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const header = (text: string, key: string): string => text.split(MASKED).map(quoted).join(key).replaceAll(`''`, '')
