import { ActionRow } from '../../../../pieces/forms/action-row.js'
import { ConfirmButton } from '../../../../pieces/forms/confirm-button.js'
import { useAction } from '../../../../pieces/forms/use-action.js'
import { Hint } from '../../../../pieces/notice.js'
import { Section } from '../../../../pieces/page.js'
import { When } from '../../../../pieces/when.js'
import type { Person } from '../../../answers.js'
import { call } from '../../../api.js'

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
  const cancel = useAction(() => call('DELETE', path).then(reload))
  if (factorResetAt)
    return (
      <Section title="Second factor">
        <Hint>
          Their second factors are removed on <When at={factorResetAt} />, unless they confirm it before that
          or stop it. We have sent them a mail.
        </Hint>
        <ActionRow action={cancel}>Cancel the reset</ActionRow>
      </Section>
    )
  return (
    <Section title="Second factor">
      {hasSecondFactor ? (
        <>
          <p>
            They have one. If they have lost their phone or passkey, and their recovery codes too, you can
            reset it.
          </p>
          <div className="actions">
            <ConfirmButton
              name="Reset second factors"
              question={`Reset the second factors of ${name ?? email}?`}
              confirm="Reset them"
              act={() => call('POST', path).then(reload)}
            >
              <p>
                We send them a mail. When they confirm, or after 24 hours, their second factors are removed
                and all their sessions end; their password stays. Make sure that it is really them who has
                asked you.
              </p>
            </ConfirmButton>
          </div>
        </>
      ) : (
        <p>
          They have none.{person.mustEnrol && ' They have to set one up before they can do anything else.'}
        </p>
      )}
    </Section>
  )
}
