import { ActionButton } from '../../../../pieces/forms/button.js'
import { ConfirmButton } from '../../../../pieces/forms/confirm-button.js'
import { useAction } from '../../../../pieces/forms/use-action.js'
import { t } from '../../../../pieces/language/t.js'
import { T } from '../../../../pieces/language/text.js'
import { Failure, Hint } from '../../../../pieces/notices/notice.js'
import { toast } from '../../../../pieces/notices/toasts.js'
import { Section } from '../../../../pieces/page.js'
import { When } from '../../../../pieces/time/when.js'
import type { Person } from '../../../answers.js'
import { call } from '../../../api.js'
import { isNotFound } from '../../not-found.js'

/** What a manager can do for a member who has lost their second factor. */
export function MemberFactors({
  person,
  reload,
}: {
  readonly person: Person
  readonly reload: () => Promise<void>
}) {
  const { userId, hasSecondFactor, factorResetAt, name, email } = person
  const path = `team/${userId}/second-factor/reset`
  const show = (text: string) => {
    toast(text)
    return reload()
  }
  // Somebody may have stopped it meanwhile: sending the mail again must not begin another.
  const unlessGone = (error: unknown) => {
    if (!isNotFound(error)) throw error
    return show(t('error.NOT_FOUND'))
  }
  const resend = useAction(() =>
    call('POST', `${path}?only=pending`).then(() => show(t('invitations.sentAgain', { email })), unlessGone),
  )
  const cancel = useAction(() => call('DELETE', path).then(reload, unlessGone))
  if (factorResetAt)
    return (
      <Section title={t('factor.title')}>
        <Hint>
          <T id="memberFactors.pending" date={<When at={factorResetAt} />} />
        </Hint>
        <div className="actions">
          <ActionButton action={resend}>{t('memberFactors.resend')}</ActionButton>
          <ActionButton action={cancel}>{t('memberFactors.cancel')}</ActionButton>
          <Failure error={resend.error ?? cancel.error} />
        </div>
      </Section>
    )
  return (
    <Section title={t('factor.title')}>
      {hasSecondFactor ? (
        <>
          <p>{t('memberFactors.has')}</p>
          <div className="actions">
            <ConfirmButton
              name={t('memberFactors.reset')}
              question={t('memberFactors.resetAsk', { name: name ?? email })}
              confirm={t('memberFactors.resetYes')}
              act={() => call('POST', path).then(reload)}
            >
              <p>
                <T id="memberFactors.resetMeans" />
              </p>
            </ConfirmButton>
          </div>
        </>
      ) : (
        <p className="absent">
          {t('memberFactors.none')}
          {person.mustEnrol && ` ${t('memberFactors.mustEnrol')}`}
        </p>
      )}
    </Section>
  )
}
