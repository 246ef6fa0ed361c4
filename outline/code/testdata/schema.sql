-- The schema.

CREATE TABLE users (
  id int, -- CREATE TABLE no (
  name text DEFAULT 'CREATE TABLE no;'
);
INSERT INTO users VALUES (1, 'it''s;
SELECT no;');
INSERT INTO users VALUES (2, E'it\'s');
COPY users (id) FROM stdin;
3	it's
SELECT no;
\.

CREATE FUNCTION f() RETURNS int AS $body$
BEGIN
  INSERT INTO no VALUES (1);
END;
$body$ LANGUAGE plpgsql;
\connect other's
CREATE TRIGGER t AFTER INSERT ON users BEGIN
  UPDATE no SET a = 1;
  SELECT CASE WHEN 1 THEN 2 END;
END;
DROP INDEX i;
SELECT 'x'
\gexec
ALTER TABLE users ADD b int;
