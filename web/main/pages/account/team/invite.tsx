import type { Caller } from '@mainstay-auth/client'
import { useState } from 'react'
import { Dialog } from '../../../../pieces/forms/dialog.js'
import { EmailField } from '../../../../pieces/forms/field.js'
import { Form } from '../../../../pieces/forms/form.js'
import { t } from '../../../../pieces/language/t.js'
import type { Load } from '../../../../pieces/loading/use-load.js'
import { call } from '../../../api.js'
import { NEW_MEMBER, PermissionBoxes, permissionsIn } from './permission-boxes.js'
import { SatelliteBoxes, satellitesIn } from './satellite-boxes.js'
import { SeatNotice } from './seat-notice.js'

/** Asks who to invite, and to what. */
export function InviteButton({
  caller,
  invited,
  seats,
}: {
  readonly caller: Caller
  readonly invited: (email: string) => Promise<void>
  readonly seats: Load<readonly string[]>
}) {
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  const invite = async ({ email = '' }: Readonly<Record<string, string>>, form: HTMLFormElement) => {
    const permissions = permissionsIn(form)
    await call('POST', 'team/invitations', { email, permissions, satellites: satellitesIn(form) })
    close()
    await invited(email)
  }
  return (
    <>
      <button type="button" className="primary" onClick={() => setIsOpen(true)}>
        {t('invite.button')}
      </button>
      {isOpen && (
        <Dialog title={t('invite.title')} onCancel={close}>
          <Form submit={t('invite.submit')} send={invite}>
            <SeatNotice words={seats} />
            <EmailField label={t('invite.email')} autoComplete="off" autoFocus />
            <PermissionBoxes given={NEW_MEMBER} mayGive={caller.permissions} />
            <SatelliteBoxes chosen={null} />
          </Form>
        </Dialog>
      )}
    </>
  )
}
