-- Up Migration
CREATE TABLE sless_invocations (
  id uuid NOT NULL,
  namespace text NOT NULL,
  function text NOT NULL,
  trigger text NOT NULL,
  trigger_name text,
  started_at timestamptz NOT NULL,
  duration_ms double precision NOT NULL,
  outcome text NOT NULL,
  status smallint,
  reason text,
  bytes_in bigint NOT NULL,
  bytes_out bigint NOT NULL,
  attempt integer NOT NULL,
  request_id text,
  trace_id text,
  -- A unique key of a partitioned table must hold what it is partitioned by.
  PRIMARY KEY (id, started_at)
) PARTITION BY RANGE (started_at);

CREATE INDEX sless_invocations_page ON sless_invocations (namespace, function, started_at DESC, id DESC);
