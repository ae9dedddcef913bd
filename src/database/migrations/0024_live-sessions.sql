-- How many unexpired sessions a user has besides one. Volatile, so that it sees what was committed while the statement
-- that calls it was waiting for the user's row.
CREATE FUNCTION live_sessions(of_user uuid, besides text, at timestamptz) RETURNS bigint LANGUAGE sql VOLATILE SET search_path FROM CURRENT AS $$
	SELECT count(*) FROM user_sessions WHERE user_id = of_user AND sid <> besides AND expires_at > at
$$;
