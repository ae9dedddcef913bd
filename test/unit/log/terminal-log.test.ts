import { Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from '@jest/globals'
import { type Settings, terminalLog } from '../../sources.js'

const TIME = new Date(2026, 10, 29, 21, 7, 5).getTime()

/** What is printed of these entries of the log, each a line as pino writes it. */
async function printed(
  entries: readonly object[],
  logLevel: Settings['logLevel'] = 'info',
): Promise<string[]> {
  let text = ''
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      text += chunk
      done()
    },
  })
  const log = await terminalLog({ logLevel }, output)
  for (const entry of entries) log.write(`${JSON.stringify({ level: 30, time: TIME, ...entry })}\n`)
  return stripVTControlCharacters(text).trimEnd().split('\n')
}

function answered(request: string, statusCode: number, more: object = {}) {
  const [method, path] = request.split(' ')
  return {
    msg: 'request',
    req: { id: '1', method, path, ip: '::1' },
    res: { statusCode },
    milliseconds: 11.7,
    ...more,
  }
}

describe('the log of development', () => {
  it('has a line for each request', async () => {
    const entries = [answered('GET /api/team', 200), answered('POST /api/login', 401)]
    expect(await printed(entries)).toEqual([
      '21:07:05 GET /api/team 200 12 ms',
      '21:07:05 POST /api/login 401 12 ms',
    ])
  })

  it('leaves out assets and preflights, unless they fail or the level is debug', async () => {
    const fine = [
      answered('GET /assets/app-1a2b.js', 200),
      answered('GET /docs/assets/inter.woff2', 304),
      answered('OPTIONS /api/refresh', 204),
    ]
    const failed = [answered('GET /assets/app-old.js', 404), answered('OPTIONS /api/refresh', 403)]
    expect(await printed([...fine, ...failed])).toEqual([
      '21:07:05 GET /assets/app-old.js 404 12 ms',
      '21:07:05 OPTIONS /api/refresh 403 12 ms',
    ])
    expect(await printed([...fine, ...failed], 'debug')).toHaveLength(5)
  })

  it('says which part has something to say, about which request, and what is wrong', async () => {
    const lines = await printed([
      { level: 40, context: 'Satellites', msg: 'Could not refresh' },
      answered('GET /api/data', 500, {
        level: 50,
        msg: 'request failed',
        err: { type: 'Error', message: 'Oh', stack: 'Error: Oh\n    at here' },
      }),
    ])
    expect(lines.slice(0, 2)).toEqual([
      '[21:07:05] WARN: Satellites: Could not refresh',
      '[21:07:05] ERROR: request failed (GET /api/data)',
    ])
    expect(lines.join('\n')).toContain('at here')
  })
})
