-- How a derived figure of the catalogue is computed.
ALTER TABLE hardware ADD COLUMN formula TEXT;
