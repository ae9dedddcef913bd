import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import {
  effectivePermissions,
  isPermissions,
  PERMISSIONS,
  permissionBits,
  permissionsOf,
  permissionsOfBits,
} from '../../../src/permissions/permissions.js'
import { initialGrant } from '../../../src/users/user.js'

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
