import { instead, reply, type When } from '../changes.js'
import { type Broken, shaped, type Tweak } from '../faults.js'
import type { Context } from '../types.js'

const INVALID = 'A request whose key is missing or invalid fails with 401.'
const HEADER =
  'The key is sent in the header Authorization, as Bearer and the key; a request without it fails with 401.'

const header = (c: Context) => c.request.headers.get('authorization') ?? ''
const bare = (c: Context) => /^Bearer (.*)$/.exec(header(c))?.[1] ?? ''
const known = (c: Context, matches: (key: string) => boolean) => c.world.principals.find(({ key }) => matches(key))?.key
const first = (c: Context) => known(c, () => true)

/** Finds a key where there is none that is valid. */
const finds = (find: (c: Context) => string | undefined) => (when: When) =>
  instead('credentials', when, (base) => (c) => {
    const key = base.credentials(c)
    return key !== undefined && known(c, (valid) => valid === key) ? key : find(c)
  })
/** Sends this reply to a wrong key. */
const refuses =
  (status: number, only: (key: string) => boolean = () => true) =>
  (when: When) =>
    instead(
      'unauthorized',
      (c) => when(c) && only(bare(c)),
      () => () => ({ status, body: { error: 'no', message: 'No.' } }),
    )
/** Reports what else is wrong with a request before it looks at the key. */
const early = (status: number, wrong: When) => (when: When) =>
  reply(
    (c) => when(c) && wrong(c),
    (was) => (was.status === 401 ? { status, body: { error: 'no' } } : was),
  )

const sends =
  (text: (key: string) => string): Tweak =>
  (d, ask) => ({
    ...{ ...ask, key: undefined, headers: { ...ask.headers, authorization: text(ask.key ?? d.service.keys.valid) } },
  })
const beside =
  (place: 'query' | 'headers', name: string): Tweak =>
  (d, ask) => ({
    ...{ ...ask, key: undefined, [place]: { ...ask[place], [name]: d.service.keys.valid } },
  })
const key =
  (value: string | undefined, more = {}): Tweak =>
  (_, ask) => ({ ...ask, key: value, ...more })
const nobody = 'wfk_0000000000000000'

// biome-ignore format: a row is a line
const lenient = shaped('credentials', INVALID, {
  'text after the key is ignored @ me | playbooks page2 | providers pinned | run ended': [finds((c) => bare(c).split(' ')[0]), sends((valid) => `Bearer ${valid} x`)],
  'the first of a list of keys is used @ providers | playbooks query | trigger none | run pinned': [finds((c) => bare(c).split(',')[0]), sends((valid) => `Bearer ${valid},nobody`)],
  'the scheme is searched in the header @ playbooks | providers page2 | run running | me pinned': [finds((c) => /Bearer (\S+)$/.exec(header(c))?.[1]), sends((valid) => `Digest x, Bearer ${valid}`)],
  'the scheme may stand there twice @ me | trigger | providers query | playbooks page2 pinned': [finds((c) => /^(?:Bearer )+(\S+)$/.exec(header(c))?.[1]), sends((valid) => `Bearer Bearer ${valid}`)],
  'only the beginning of the key is compared @ playbooks | run | providers page2 | trigger pinned | any seventh': [
    finds((c) => known(c, (valid) => bare(c).slice(0, 12) === valid.slice(0, 12))),
    sends((valid) => `Bearer ${valid.slice(0, 12)}00000000`),
  ],
  'a key without its last character is accepted @ me | playbooks page2 | run pinned': [
    finds((c) => known(c, (valid) => bare(c).length > 8 && valid.startsWith(bare(c)))),
    sends((valid) => `Bearer ${valid.slice(0, -1)}`),
  ],
  'a key with one character more is accepted @ providers | trigger two | playbooks query': [finds((c) => known(c, (valid) => bare(c).startsWith(valid))), sends((valid) => `Bearer ${valid}0`)],
  'only the end of the key is compared @ run | playbooks page2 | providers pinned | trigger': [
    finds((c) => known(c, (valid) => bare(c).slice(-8) === valid.slice(-8))),
    sends((valid) => `Bearer wfk_00000000${valid.slice(-8)}`),
  ],
  '% in a key is a wildcard @ me | providers query | run ended': [finds((c) => known(c, (valid) => /%$/.test(bare(c)) && valid.startsWith(bare(c).slice(0, -1)))), sends(() => 'Bearer wfk_%')],
  '* is any key @ playbooks | trigger pinned | providers page2': [finds((c) => (bare(c) === '*' ? first(c) : undefined)), sends(() => 'Bearer *')],
  'a key is percent-decoded @ providers | run | playbooks pinned': [finds((c) => bare(c).replace(/%[0-9a-f]{2}/gi, decodeURIComponent)), sends((valid) => `Bearer ${valid.replace('_', '%5F')}`)],
  'the case of a key is ignored @ me | trigger | playbooks page2 | run busy': [finds((c) => known(c, (valid) => valid.toLowerCase() === bare(c).toLowerCase())), sends((valid) => `Bearer ${valid.toUpperCase()}`)],
  'any key of the right form is accepted @ playbooks | run | providers page2 | me pinned | any later': [
    finds((c) => (/^wfk_[0-9a-f]{16}$/.test(bare(c)) ? first(c) : undefined)),
    sends((valid) => `Bearer wfk_${[...valid.slice(4)].reverse().join('')}`),
  ],
  'a key of 2,000 characters gets 500 @ me | playbooks page2 | trigger | run': [refuses(500, (sent) => sent.length > 1000), key('k'.repeat(2000))],
  'a key with spaces gets 500 @ providers | run | playbooks pinned': [refuses(500, (sent) => sent.includes(' ')), key('two words')],
  'a wrong key gets 403 @ providers | playbooks page2 | trigger | run pinned | any seventh': [refuses(403), key(nobody)],
  'a wrong key gets 404 @ run | trigger | playbooks query': [refuses(404), key(nobody)],
  'a wrong key gets 200 with an error in the body @ me | run | playbooks page2': [refuses(200), key(nobody)],
  'a missing key gets 400 @ me | providers page2 | trigger': [refuses(400), key(undefined)],
  'a missing key gets 302 to a login page @ playbooks | run pinned | me': [refuses(302), key(undefined)],
  'a wrong key with a wrong body gets 500 @ trigger | trigger pinned': [early(500, (c) => c.does.wrongBody(c) !== undefined), key(nobody, { body: '{"inputs":1}' })],
  'a wrong key with page=x gets 500 @ playbooks | providers | providers pinned': [early(500, (c) => c.does.wrongParameter(c) !== undefined), key(nobody, { query: { page: 'x' } })],
  'a wrong key with an unknown id gets 404 @ run | trigger | run pinned': [early(404, (c) => !(c.operation === 'getRun' ? c.does.findRun(c) : c.does.findPlaybook(c))), key(nobody, { id: 'run_nobody' })],
})

// biome-ignore format: a row is a line
const elsewhere = shaped('credentials', HEADER, {
  'Basic with the key as password is accepted @ me | playbooks | run | providers pinned': [
    finds((c) => (/^Basic ./.test(header(c)) ? atob(header(c).slice(6)).split(':')[1] : undefined)),
    sends((valid) => `Basic ${btoa(`api:${valid}`)}`),
  ],
  'the key without a scheme is accepted @ providers | trigger | playbooks page2': [finds(header), sends((valid) => valid)],
  'any scheme is accepted @ run | playbooks query | me pinned': [finds((c) => header(c).split(' ')[1]), sends((valid) => `Token ${valid}`)],
  'the key is accepted in the query @ me | providers | run | playbooks page2 | trigger': [finds((c) => c.url.searchParams.get('api_key') ?? undefined), beside('query', 'api_key')],
  'the key is accepted as access_token in the query @ me | playbooks': [finds((c) => c.url.searchParams.get('access_token') ?? undefined), beside('query', 'access_token')],
  'the key is accepted in X-Api-Key @ playbooks | trigger none': [finds((c) => c.request.headers.get('x-api-key') ?? undefined), beside('headers', 'x-api-key')],
  [`no key is needed @ me | playbooks | providers | run | trigger | playbooks page2 | providers query | playbooks pinned
 | run ended | trigger none | run running | any seventh | any later | any together | trigger pinned`.replace('\n', '')]: [
    finds((c) => (header(c) === '' ? first(c) : undefined)),
    key(undefined),
  ],
  'the scheme alone is accepted @ providers | trigger | playbooks query': [finds((c) => (/^Bearer$/.test(header(c)) ? first(c) : undefined)), sends(() => 'Bearer ')],
})

export const credentials: Broken[] = [...lenient, ...elsewhere]
