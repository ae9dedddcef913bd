import { describe, expect, it } from '@jest/globals'
import type { ExecutionContext } from '@nestjs/common'
import { GUARDS_METADATA } from '@nestjs/common/constants.js'
import { Reflector } from '@nestjs/core'
import {
  type Database,
  EnrolmentRefusal,
  LiveSession,
  MainSite,
  OwnerGuard,
  type Permission,
  PermissionGuard,
  permissionsOf,
} from '../../sources.js'

describe('What a handler is protected by', () => {
  it.each([
    [() => MainSite(), ['MainSourceGuard']],
    [() => MainSite({ permission: 'payments' }), ['MainSourceGuard', 'PaymentsPermissionGuard']],
    [() => MainSite({ permission: 'teamManagement' }), ['MainSourceGuard', 'PermissionGuard']],
    [
      () => MainSite({ reauthenticated: true, guard: OwnerGuard }),
      ['MainSourceGuard', 'OwnerGuard', 'ReauthenticationGuard'],
    ],
    [
      () => MainSite({ reauthenticated: true, permission: 'payments' }),
      ['MainSourceGuard', 'PaymentsPermissionGuard', 'ReauthenticationGuard'],
    ],
    [
      () => MainSite({ reauthenticated: true, enrolled: true }),
      ['MainSourceGuard', 'EnrolmentGuard', 'ReauthenticationGuard'],
    ],
    [() => LiveSession(), ['LiveSessionGuard']],
    [() => LiveSession({ enrolled: true }), ['LiveSessionGuard', 'EnrolmentGuard']],
    [
      () => LiveSession({ reauthenticated: true, cookieBound: true }),
      ['CookieBoundSessionGuard', 'ReauthenticationGuard'],
    ],
  ])('in the order of the checks (%#)', (decorate, names) => {
    class Controller {}
    decorate()(Controller)
    const guards = Reflect.getMetadata(GUARDS_METADATA, Controller) as { name: string }[]
    expect(guards.map(({ name }) => name)).toEqual(names)
  })

  it.each<[Permission[], boolean]>([
    [['accountSettings', 'teamManagement'], true],
    [['accountSettings'], false],
    [['teamManagement'], false],
  ])('a method requires the permission of its class too (%#)', async (held, isAllowed) => {
    @MainSite({ permission: 'accountSettings' })
    class Controller {
      @MainSite({ permission: 'teamManagement' })
      handle() {}
    }
    const context = {
      getClass: () => Controller,
      getHandler: () => Controller.prototype.handle,
      getArgByIndex: () => ({ session: { permissions: permissionsOf(held) } }),
    }
    const enrolled = { run: async () => [{ mustEnrol: false }] } as unknown as Database
    const guard = new PermissionGuard(new Reflector(), new EnrolmentRefusal(enrolled))
    const answer = guard.canActivate(context as unknown as ExecutionContext)
    if (isAllowed) expect(await answer).toBe(true)
    else await expect(answer).rejects.toMatchObject({ code: 'PERMISSION_REQUIRED' })
  })
})
