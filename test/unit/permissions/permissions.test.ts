import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import {
  ceilingOf,
  effectivePermissions,
  initialGrant,
  isPermissions,
  PERMISSIONS,
  permissionBits,
  permissionsOf,
  permissionsOfBits,
  withinLimit,
  withinLimits,
} from '../../sources.js'

const SATELLITE_CEILING = permissionsOf(['dataEntry', 'viewReports'])
const everyGrant = Array.from({ length: 2 ** PERMISSIONS.length }, (_, bits) => permissionsOfBits(bits))

describe('permissions', () => {
  it('go into bits and come back, all thirty-two', () => {
    expect(everyGrant.map(permissionBits)).toEqual(everyGrant.map((_, bits) => bits))
    expect(new Set(everyGrant.map(grant => JSON.stringify(grant))).size).toBe(32)
  })

  it('keep their bits for ever: sessions in the store are read by the next release', () => {
    expect(PERMISSIONS.map(name => [name, permissionBits(permissionsOf([name]))])).toEqual([
      ['payments', 1],
      ['accountSettings', 2],
      ['teamManagement', 4],
      ['dataEntry', 8],
      ['viewReports', 16],
    ])
  })
})

describe('effectivePermissions', () => {
  it('on the main site are what the user was granted', () => {
    for (const granted of everyGrant) expect(effectivePermissions('main', granted)).toEqual(granted)
  })

  it('on a satellite are never more than dataEntry and viewReports, and never more than granted', () => {
    for (const granted of everyGrant)
      for (const name of PERMISSIONS)
        expect(effectivePermissions('satellite', granted)[name]).toBe(
          granted[name] && SATELLITE_CEILING[name],
        )
  })

  it('of a new owner and a new member are those of the specification', () => {
    expect(effectivePermissions('main', initialGrant('owner'))).toEqual(permissionsOf(PERMISSIONS))
    expect(effectivePermissions('satellite', initialGrant('owner'))).toEqual(SATELLITE_CEILING)
    expect(effectivePermissions('main', initialGrant('member'))).toEqual(SATELLITE_CEILING)
    expect(effectivePermissions('satellite', initialGrant('member'))).toEqual(SATELLITE_CEILING)
  })
})

it('the most that a source may do is what an unlimited grant gives there', () => {
  expect(ceilingOf('main')).toEqual(permissionsOf(PERMISSIONS))
  expect(ceilingOf('satellite')).toEqual(SATELLITE_CEILING)
})

describe('what remains of a grant', () => {
  const unlimited = { entitled: null, satellites: null, mustEnrol: false }
  const nothing = permissionsOf([])

  it('without limits is all of it', () => {
    for (const granted of everyGrant) {
      expect(withinLimit(granted, null)).toEqual(granted)
      expect(withinLimits(granted, unlimited)).toEqual(granted)
    }
  })

  it('under the limit of a plan is what both allow', () => {
    for (const granted of everyGrant)
      for (const entitled of everyGrant)
        for (const name of PERMISSIONS)
          expect(withinLimits(granted, { ...unlimited, entitled })[name]).toBe(
            granted[name] && entitled[name],
          )
  })

  it.each([[[]], [['https://shop.test']]])('of who is invited to %j is never more than there', satellites => {
    for (const granted of everyGrant)
      expect(withinLimits(granted, { ...unlimited, satellites })).toEqual(
        effectivePermissions('satellite', granted),
      )
    const entitled = permissionsOf(['payments', 'viewReports'])
    expect(withinLimits(permissionsOf(PERMISSIONS), { ...unlimited, satellites, entitled })).toEqual(
      permissionsOf(['viewReports']),
    )
  })

  it('of who has to set up a second factor first is nothing', () => {
    for (const granted of everyGrant)
      expect(withinLimits(granted, { ...unlimited, mustEnrol: true })).toEqual(nothing)
  })
})

describe('isPermissions', () => {
  it.each([
    [null],
    [undefined],
    [[]],
    ['payments'],
    [{}],
    [{ payments: true }],
    [{ ...SATELLITE_CEILING, payments: 'true' }],
    [{ ...SATELLITE_CEILING, payments: 1 }],
    [{ ...SATELLITE_CEILING, refunds: true }],
  ])('%j is not', value => {
    expect(isPermissions(value)).toBe(false)
  })

  it('holds for every grant and for nothing else', () => {
    for (const granted of everyGrant) expect(isPermissions(granted)).toBe(true)
    fc.assert(fc.property(fc.anything(), value => !isPermissions(value)))
  })
})
