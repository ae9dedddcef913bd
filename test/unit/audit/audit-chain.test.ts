import { createHash } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import {
  type AuditRow,
  type ChainLink,
  ChainVerifier,
  canonicalRow,
  chainHash,
  GENESIS_HASH,
} from '../../sources.js'

function aRow(id: number, parts: Partial<AuditRow> = {}): AuditRow {
  return {
    id,
    at: new Date('2026-11-21T10:00:00.120Z'),
    action: 'login',
    outcome: 'ok',
    userId: null,
    accountId: null,
    sid: null,
    ip: '127.0.0.1',
    userAgent: null,
    origin: null,
    requestId: null,
    detail: {},
    ...parts,
  }
}

function aChain(count: number): ChainLink[] {
  let hash = GENESIS_HASH
  return Array.from({ length: count }, (_, index) => {
    const row = aRow(index + 1)
    hash = chainHash(hash, row)
    return { position: index + 1, auditId: row.id, hash, row, isExpired: false }
  })
}

function faultsOf(links: readonly ChainLink[]): string[] {
  const walk = new ChainVerifier()
  return links.map(link => walk.next(link)).filter(fault => fault !== null)
}

function changed(links: ChainLink[], position: number, parts: Partial<ChainLink>): ChainLink[] {
  return links.map(link => (link.position === position ? { ...link, ...parts } : link))
}

describe('The canonical form of a row', () => {
  it('has its names in order, times with milliseconds, and no nulls', () => {
    expect(canonicalRow(aRow(7, { detail: { b: null, a: [{ d: 1.5, c: 'ü"' }] } }))).toBe(
      '{"action":"login","at":"2026-11-21T10:00:00.120Z","detail":{"a":[{"c":"ü\\"","d":1.5}],"b":null},' +
        '"id":7,"ip":"127.0.0.1","outcome":"ok"}',
    )
  })

  it('is the same whatever the order of names, and JSON of the same value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), detail => {
        const turned = Object.fromEntries(Object.entries(detail).reverse())
        const text = canonicalRow(aRow(1, { detail }))
        expect(canonicalRow(aRow(1, { detail: turned }))).toBe(text)
        expect(JSON.parse(text).detail).toEqual(JSON.parse(JSON.stringify(detail)))
      }),
    )
  })

  it('of a time that is none does not stop the search', () => {
    expect(canonicalRow(aRow(1, { at: new Date(Number.NaN) }))).toContain('"at":"no time"')
  })
})

it('A seal is SHA-256 over the one before and the row; this one must never change', () => {
  const hash = chainHash(GENESIS_HASH, aRow(1))
  const text =
    '0'.repeat(64) +
    '{"action":"login","at":"2026-11-21T10:00:00.120Z","detail":{},"id":1,"ip":"127.0.0.1","outcome":"ok"}'
  expect(hash).toBe(createHash('sha256').update(text).digest('hex'))
  expect(chainHash(hash, aRow(1))).not.toBe(hash)
})

describe('A walk along the chain', () => {
  it('finds nothing wrong with what is right, and ends at the head', () => {
    const links = aChain(5)
    const walk = new ChainVerifier()
    expect(links.map(link => walk.next(link))).toEqual([null, null, null, null, null])
    expect(walk).toMatchObject({ count: 5, head: { position: 5, hash: links[4]?.hash } })
  })

  it.each<[string, (links: ChainLink[]) => ChainLink[], string]>([
    [
      'a changed row',
      links => changed(links, 3, { row: aRow(3, { ip: '10.0.0.1' }) }),
      'Row 3 (position 3) or its seal was changed',
    ],
    [
      'a row that was emptied of a value',
      links => changed(links, 3, { row: aRow(3, { ip: null }) }),
      'Row 3 (position 3) or its seal was changed',
    ],
    ['a removed row', links => changed(links, 3, { row: null }), 'Row 3 (position 3) was removed'],
    [
      'removed seals',
      links => links.filter(({ position }) => position !== 2 && position !== 3),
      'Position 4 comes where 2 should',
    ],
    ['removed first seals', links => links.slice(2), 'Position 3 comes where 1 should'],
  ])('finds %s, once', (_, tamper, fault) => {
    expect(faultsOf(tamper(aChain(6)))).toEqual([expect.stringContaining(fault)])
  })

  it('finds a changed row with a new seal of its own by what follows', () => {
    const links = aChain(6)
    const row = aRow(3, { ip: '10.0.0.1' })
    const forged = changed(links, 3, { row, hash: chainHash(links[1]?.hash as string, row) })
    expect(faultsOf(forged)).toEqual(['Row 4 (position 4) or its seal was changed'])
  })

  it('finds a seal before the first', () => {
    const links = aChain(2)
    expect(faultsOf([{ ...(links[0] as ChainLink), position: 0 }, ...links])).toContainEqual(
      expect.stringContaining('Position 0 comes where 1 should'),
    )
  })

  it('finds two rows that changed places', () => {
    const [one, two] = aChain(2) as [ChainLink, ChainLink]
    const swapped = [
      { ...one, auditId: 2, row: two.row },
      { ...two, auditId: 1, row: one.row },
    ]
    expect(faultsOf(swapped)).toHaveLength(2)
  })
})
